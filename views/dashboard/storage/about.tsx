import type { FileUse } from "../../../db/storage/references";
import { bytes } from "../../components/bytes";
import { Fact } from "../../components/fact";
import type { Frame } from "../../components/frame";
import { number } from "../../components/list";
import { exact } from "../../components/time";
import { paths } from "../../paths";
import { CopyButton } from "../../components/copy-button";
import { essence } from "./file-kind";
import type { PreviewProps } from "./file-preview";

export type FileView = PreviewProps & {
  frame: Frame;
  /** The permanent URL, with the site's own host. */
  mediaUrl: string;
  isPublic: boolean;
  uses: FileUse[];
};

export const About = ({ frame, file, mediaUrl, isPublic, uses }: FileView) => (
  <dl class="facts">
    <Fact name="Size">
      {bytes(file.size)} {file.size >= 1_000 && <span class="muted">({number(file.size)} bytes)</span>}
    </Fact>
    <Fact name="Type">
      <span class="mono">{essence(file.mimeType)}</span>
    </Fact>
    <Fact name="Folder">{file.folder || "All files"}</Fact>
    <Fact name="Node">{file.node}</Fact>
    <Fact name="Uploaded">{exact(file.storedAt, frame.preferences)}</Fact>
    <Fact name="Used by">
      {uses.length === 0 && <span class="none">Not used</span>}
      {uses.map((use) => (
        <a class="use" href={`${paths.overview}/${use.kind}s/${use.id}`}>
          {use.title}
        </a>
      ))}
    </Fact>
    <Fact name="Permanent URL">
      <span class="mono" id="media-url">
        {mediaUrl}
      </span>
      <CopyButton from="media-url" class="btn quiet sm" id="copy-address" />
      <span class="hint">
        {isPublic
          ? "Public: a published post or project uses this file."
          : "For cover images and text. Visible to managers now, and to everyone once a published post or project uses it."}
      </span>
    </Fact>
  </dl>
);
