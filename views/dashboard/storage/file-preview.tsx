import type { StoredFile } from "../../../db/storage/files";
import { kindOf } from "./file-kind";
import { KindIcon } from "./kind-icon";

type Beginning = { text: string; isWhole: boolean };

export type PreviewProps = {
  file: StoredFile;
  /** Signed, and for this page only. */
  url: string;
  /** Of a text; undefined if its node does not respond. */
  beginning: Beginning | undefined;
};

/**
 * The bytes come from the node's own origin, so that nothing in them can run here. Text is shown as text, whatever it
 * contains.
 */
export function Preview({ file, url, beginning }: PreviewProps) {
  const { filename, mimeType } = file;
  switch (kindOf(mimeType)) {
    case "image":
      return <img src={url} alt={`Preview of ${filename}`} />;
    case "video":
      return <video src={url} controls aria-label={filename} />;
    case "audio":
      return <audio src={url} controls="" aria-label={filename} />;
    case "pdf":
      return (
        <>
          <iframe src={url} title={`Preview of ${filename}`} />
          <p class="hint">Some browsers cannot show PDFs here. Download the file instead.</p>
        </>
      );
    case "text":
      return beginning ? (
        <Text {...beginning} />
      ) : (
        <NoPreview file={file}>The storage node is not responding.</NoPreview>
      );
    default:
      return <NoPreview file={file}>No preview for this file type.</NoPreview>;
  }
}

const Text = ({ text, isWhole }: Beginning) => (
  <>
    <pre tabindex="0">{text}</pre>
    {!isWhole && <p class="hint">Only the beginning is shown. Download the file to read the rest.</p>}
  </>
);

const NoPreview = ({ file, children }: { file: StoredFile; children: string }) => (
  <div class="empty">
    <KindIcon kind={kindOf(file.mimeType)} />
    <p>{children}</p>
  </div>
);
