import type { StoredFile } from "../../../db/storage/files";
import type { FileUse } from "../../../db/storage/references";
import { bytes } from "../../components/bytes";
import { CopyButton, DialogLink } from "../../components/buttons";
import { Fact } from "../../components/fact";
import { Form } from "../../components/forms/form";
import type { Input } from "../../components/forms/fields";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number } from "../../components/list";
import { Menu } from "../../components/lists/row-actions";
import { exact } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { essence, KindIcon, kindOf, typeName } from "./file-kind";
import { allPictures, Crumbs } from "./frame";
import { DescribePicture, dimensionsOf, focalClass } from "./picture";
import type { FieldError } from "../../components/forms/field-errors";
import { type PictureRow, Thumbnail } from "./library";

type Beginning = { text: string; isWhole: boolean };

type PreviewProps = {
  file: StoredFile;
  /** Signed, and for this page only. */
  url: string;
  /** Of a text; undefined if its node does not respond. */
  beginning: Beginning | undefined;
  /** Of a picture that pages may show. `errors`: why the alternative text cannot be saved. */
  picture?: { src: string; input: Input; alt?: string; errors?: FieldError[] };
};

/** How much space is kept for a picture of known size until it is there, so that nothing moves. */
const shapeOf = ({ width, height }: StoredFile) => (width && height ? (width > 1.2 * height ? "wide" : "tall") : "");

/** The mark is where its focal point is. */
const Picture = ({ file, src }: { file: StoredFile; src: string }) => (
  <span class="focal-area">
    <img
      src={src}
      alt={file.alt || `Preview of ${file.filename}`}
      width={file.width ?? undefined}
      height={file.height ?? undefined}
    />
    <span class={`focal-mark ${focalClass(file)}`} aria-hidden="true" />
  </span>
);

/**
 * The bytes come from the node's own origin, so that nothing in them can run here. Text is shown as text, whatever it
 * contains.
 */
function Preview({ file, url, beginning, picture }: PreviewProps) {
  const { filename, mimeType } = file;
  if (picture) return <Picture file={file} src={picture.src} />;
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

type FileView = PreviewProps & {
  frame: Frame;
  /** The permanent URL, with the site's own host. */
  mediaUrl: string;
  isPublic: boolean;
  uses: FileUse[];
  isInPictures: boolean;
};

const About = ({ frame, file, mediaUrl, isPublic, uses, picture }: FileView) => (
  <dl class="facts">
    <Fact name="Size">
      {bytes(file.size)} {file.size >= 1_000 && <span class="muted">({number(file.size)} bytes)</span>}
    </Fact>
    <Fact name="Type">
      <span title={essence(file.mimeType)}>{typeName(file.mimeType)}</span>
    </Fact>
    {picture && <Fact name="Dimensions">{dimensionsOf(file)}</Fact>}
    <Fact name="Folder">{file.folder || "All files"}</Fact>
    <Fact name="Node">{file.node}</Fact>
    <Fact name="Uploaded">{exact(file.storedAt, frame.preferences)}</Fact>
    {Object.entries(file.metadata ?? {}).map(([name, value]) => (
      <Fact name={name}>{value}</Fact>
    ))}
    <Fact name="Used by">
      {uses.length === 0 && <span class="none">Not used</span>}
      {uses.map((use) => (
        <Use use={use} frame={frame} />
      ))}
    </Fact>
    <Fact name="Permanent URL">
      <span class="mono" id="media-url">
        {mediaUrl}
      </span>
      <CopyButton from="media-url" class="btn quiet sm" id="copy-address" />
      <span class="hint">
        {isPublic
          ? "Public: something published uses this file."
          : "For cover pictures and text. Visible to managers now, and to everyone once something published uses it."}
      </span>
    </Fact>
  </dl>
);

const useIcons: Record<FileUse["kind"], { icon: string }> = {
  post: { icon: "file-text" },
  project: { icon: "layers" },
  broadcast: { icon: "megaphone" },
  setting: { icon: "settings" },
};

/** Settings that have a name and a page of their own; any other is a key that someone added. */
const ownSettings = new Map([
  ["welcomeText", { title: "Welcome email", href: paths.welcome }],
  ["brandLogo", { title: "Logo", href: `${paths.settings}/brand` }],
]);
const placeOf = ({ kind, id, title }: FileUse) =>
  kind === "setting"
    ? (ownSettings.get(id) ?? { title, href: `${paths.settings}/site#custom` })
    : { title, href: `${paths.overview}/${kind}s/${id}` };

/** What uses the file, with a link to it for those who may open it. */
const Use = ({ use, frame }: { use: FileUse; frame: Frame }) => {
  const { title, href } = placeOf(use);
  const Tag = frame.may(href) ? "a" : "span";
  return (
    <Tag class="use" href={Tag === "a" ? href : undefined}>
      <Icon name={useIcons[use.kind].icon} />
      {title}
    </Tag>
  );
};

/** One file: preview, details and actions. */
export const FilePage = (view: FileView) => {
  const { file, frame, uses } = view;
  const path = paths.file(file.id);
  return (
    <>
      <Crumbs folder={file.folder} {...(view.isInPictures && { root: allPictures })}>
        {file.filename}
      </Crumbs>
      <Head title={file.filename}>
        <a class="btn primary" href={`${path}/download`} id="download">
          <Icon name="download" />
          Download
        </a>
        <Opener path={path} action="link" icon="link" label="Copy link" />
        <Menu id={file.id} label="More actions for this file">
          <Opener path={path} action="replace" icon="refresh-cw" label="Replace" class="btn quiet" />
          <Opener path={path} action="rename" icon="pencil" label="Rename" class="btn quiet" />
          <Opener path={path} action="move" icon="folder-input" label="Move" class="btn quiet" />
          {uses.length > 0 ? (
            <p class="hint">In use, so it cannot be deleted. “Used by” says where.</p>
          ) : (
            <Form action={`${path}/trash`} token={frame.token} plain>
              <button type="submit" class="btn quiet" id="trash">
                <Icon name="trash-2" />
                Delete
              </button>
            </Form>
          )}
        </Menu>
      </Head>
      <div class="file-page">
        <section class={`card preview ${shapeOf(file)}`} aria-label="Preview">
          <Preview {...view} />
        </section>
        <div class="stack">
          {view.picture && <DescribePicture {...view.picture} frame={frame} file={file} />}
          <section class="card" aria-label="About this file">
            <div class="body">
              <About {...view} />
            </div>
          </section>
        </div>
      </div>
    </>
  );
};

type OpenerProps = { path: string; action: string; icon: string; label: string; class?: string };

const Opener = ({ path, action, icon, label, class: look = "btn" }: OpenerProps) => (
  <DialogLink class={look} href={`${path}/${action}`} id={action} icon={icon}>
    {label}
  </DialogLink>
);

type ReplaceProps = {
  frame: Frame;
  file: { id: string; filename: string; folder: string; mimeType: string };
  /** Files that nothing uses: pictures for a picture, or files of its folder and type. */
  others: (PictureRow & { mimeType: string })[];
  isPicture: boolean;
  cancel: string;
};

const OtherFile = ({
  other,
  isPicture,
}: Pick<ReplaceProps, "isPicture"> & { other: ReplaceProps["others"][number] }) => (
  <li class="tile">
    <button type="submit" class="choice" name="other" value={other.id}>
      <span class="sr">Use </span>
      {isPicture ? (
        <Thumbnail picture={other} />
      ) : (
        <span class="thumb">
          <KindIcon kind={kindOf(other.mimeType)} />
        </span>
      )}
      <span class="name">{other.filename}</span>
      <span class="hint">{isPicture ? dimensionsOf(other) : bytes(other.size)}</span>
    </button>
  </li>
);

/** ".csv" of "Prices.CSV", as public/library.ts compares it. Systems have several types for one, and none for others. */
const extensionOf = (name: string) => /\.[\w-]+$/.exec(name.toLowerCase())?.[0];

/** Chooses what takes the place of a file. Each choice is a button of the form, so it needs no script. */
export const ReplaceForm = ({ frame, file, others, isPicture, cancel }: ReplaceProps) => (
  <Form action={`${paths.file(file.id)}/replace`} token={frame.token} id="replace" class="stack">
    <p>
      Its URL stays, and everything that uses it shows the new {isPicture ? "picture" : "file"}. The previous one is
      kept in the trash for 30 days. Sites and browsers may show it for up to half an hour.
    </p>
    {!isPicture && <p>The new file must have the same type: {typeName(file.mimeType)}.</p>}
    <label class="btn primary with-script file-button">
      <Icon name="upload" />
      Upload a {isPicture ? "picture" : "file"}
      <input
        type="file"
        class="sr"
        accept={isPicture ? "image/png,image/jpeg,image/gif,image/webp,image/avif" : extensionOf(file.filename)}
        data-replace
        data-type={isPicture ? undefined : file.mimeType}
        data-folder={file.folder}
      />
    </label>
    <progress max="100" value="0" aria-label="Upload" hidden />
    <p class="hint" role="status" data-said />
    {others.length > 0 ? (
      <fieldset class="replacements">
        <legend>{isPicture ? "Or one that nothing uses" : "Or one in its folder that nothing uses"}</legend>
        <ul class="tiles">
          {others.map((other) => (
            <OtherFile other={other} isPicture={isPicture} />
          ))}
        </ul>
      </fieldset>
    ) : (
      <p class="hint without-script">Upload a {isPicture ? "picture" : "file"} in Storage first.</p>
    )}
    <footer>
      <a class="btn" href={cancel} data-close>
        Cancel
      </a>
    </footer>
  </Form>
);
