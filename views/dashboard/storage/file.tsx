import type { FileUse } from "../../../db/storage/references";
import { bytes } from "../../components/bytes";
import { Form } from "../../components/forms/form";
import { Fact } from "../../components/fact";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number } from "../../components/list";
import { exact } from "../../components/time";
import { essence } from "./file-kind";
import { Crumbs } from "./frame";
import { Head } from "../shell";
import { paths } from "../../paths";
import { Preview, type PreviewProps } from "./file-preview";
import { CopyButton } from "../../components/copy-button";

type FileView = PreviewProps & {
  frame: Frame;
  /** The lasting address, with the site's own host. */
  mediaUrl: string;
  isPublic: boolean;
  uses: FileUse[];
};

/** One file: what it looks like, what is known of it, and what can be done. */
export const FilePage = (view: FileView) => {
  const { file, frame, uses } = view;
  const path = paths.file(file.id);
  return (
    <>
      <Crumbs folder={file.folder}>{file.filename}</Crumbs>
      <Head title={file.filename}>
        <a class="btn primary" href={`${path}/download`} id="download">
          <Icon name="download" />
          Download
        </a>
        <Opener path={path} action="link" icon="link" label="Copy link" />
        <Opener path={path} action="rename" icon="pencil" label="Rename" />
        <Opener path={path} action="move" icon="folder-input" label="Move" />
        {uses.length === 0 && (
          <Form action={`${path}/trash`} token={frame.token} plain>
            <button type="submit" class="btn" id="trash">
              <Icon name="trash-2" />
              Delete
            </button>
          </Form>
        )}
      </Head>
      <div class="file-page">
        <section class="card preview" aria-label="Preview">
          <Preview {...view} />
        </section>
        <section class="card" aria-label="About this file">
          <div class="body">
            <About {...view} />
          </div>
        </section>
      </div>
    </>
  );
};

const Opener = ({ path, action, icon, label }: { path: string; action: string; icon: string; label: string }) => (
  <a class="btn" href={`${path}/${action}`} hx-get={`${path}/${action}`} hx-target="#dialog" id={action}>
    <Icon name={icon} />
    {label}
  </a>
);

const About = ({ frame, file, mediaUrl, isPublic, uses }: FileView) => (
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
