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
  image: "Pictures",
  video: "Video",
  audio: "Audio",
  pdf: "PDF",
  text: "Text",
  other: "Other",
};

/** The type without its parameters: "text/plain" for "text/plain; charset=utf-8". */
export const essence = (mimeType: string) => mimeType.split(";")[0]?.trim().toLowerCase() ?? "";

const typeNames: Record<string, string> = {
  "image/jpeg": "JPEG picture",
  "image/png": "PNG picture",
  "image/webp": "WebP picture",
  "image/avif": "AVIF picture",
  "image/gif": "GIF picture",
  "image/svg+xml": "SVG drawing",
  "video/mp4": "MP4 video",
  "video/quicktime": "QuickTime video",
  "video/webm": "WebM video",
  "audio/mpeg": "MP3 audio",
  "audio/wav": "WAV audio",
  "application/pdf": "PDF",
  "application/zip": "ZIP archive",
  "application/gzip": "Gzip archive",
  "application/json": "JSON",
  "application/octet-stream": "Binary",
  "text/plain": "Text",
  "text/markdown": "Markdown",
  "text/csv": "CSV",
  "text/html": "HTML",
};

/** What people call the type; the type itself if it has no such name. */
export const typeName = (mimeType: string) => typeNames[essence(mimeType)] ?? essence(mimeType);

const icons: Record<FileKind, { icon: string }> = {
  image: { icon: "image" },
  video: { icon: "film" },
  audio: { icon: "music" },
  pdf: { icon: "file-text" },
  text: { icon: "file-text" },
  other: { icon: "file" },
};
export const KindIcon = ({ kind }: { kind: FileKind }) => <Icon name={icons[kind].icon} />;
