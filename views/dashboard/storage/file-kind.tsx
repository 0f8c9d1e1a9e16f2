import type { FileKind } from "../../../db/storage/files-list";
import { Icon } from "../../components/icon";

const text = /^(text\/|application\/(json|xml|yaml|javascript|x-sh|sql|toml)\b)/i;

/** The kind of a file, as in the filter. */
export function kindOf(mimeType: string): FileKind {
  const [, kind] = /^(image|video|audio)\//i.exec(mimeType) ?? [];
  if (kind) return kind.toLowerCase() as FileKind;
  if (/^application\/pdf\b/i.test(mimeType)) return "pdf";
  return text.test(mimeType) ? "text" : "other";
}

export const kindNames: Record<FileKind, string> = {
  image: "Images",
  video: "Video",
  audio: "Audio",
  pdf: "PDF",
  text: "Text",
  other: "Other",
};

/** The type without its parameters: "text/plain" for "text/plain; charset=utf-8". */
export const essence = (mimeType: string) => mimeType.split(";")[0]?.trim().toLowerCase() ?? "";

const icons: Record<FileKind, { icon: string }> = {
  image: { icon: "image" },
  video: { icon: "film" },
  audio: { icon: "music" },
  pdf: { icon: "file-text" },
  text: { icon: "file-text" },
  other: { icon: "file" },
};
export const KindIcon = ({ kind }: { kind: FileKind }) => <Icon name={icons[kind].icon} />;
