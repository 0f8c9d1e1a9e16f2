import type { FileKind } from "../../../db/storage/files-filter";
import { Icon } from "../../components/icon";

const icons: Record<FileKind, { icon: string }> = {
  image: { icon: "image" },
  video: { icon: "film" },
  audio: { icon: "music" },
  pdf: { icon: "file-text" },
  text: { icon: "file-text" },
  other: { icon: "file" },
};
export const KindIcon = ({ kind }: { kind: FileKind }) => <Icon name={icons[kind].icon} />;
