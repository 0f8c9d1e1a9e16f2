import { Icon } from "../../../components/icon";
import { ImageBox } from "../../../components/prose";
import type { Child, JSX } from "../../../jsx/jsx-runtime";
import { path } from "../state";
import { Head } from "../../shell";
import { DialogFooter } from "../../dialog";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { exact } from "../../../components/time";
import { Choice } from "../../../components/forms/fields";
import { CopyButton, DialogLink } from "../../../components/buttons";

/** Something that would break a build: line and column from 1, the offset in UTF-16 units from 0. */
type Problem = { message: string; line: number; column: number; offset: number };
type Preview = { prose: JSX.Element; problems: Problem[] };

/**
 * The preview beside the text. It follows when typing has stopped for 400 ms.
 * @param path whose `/preview` draws it
 * @param form the ID of the form, which is sent there
 */
export const PreviewPane = ({ path, form }: { path: string; form: string }) => (
  <section
    class="preview-pane with-script"
    id="preview"
    data-pane="preview"
    aria-label="Preview"
    tabindex="0"
    hx-post={`${path}/preview`}
    hx-include={`#${form}`}
    hx-trigger="load, input delay:400ms from:.words, input delay:400ms from:.about"
    hx-swap="innerMorph"
    hx-sync="this:replace"
  />
);

/** How wide the preview is: like a phone, beside the text, or like a desktop, in its place. */
export const Widths = () => (
  <div class="segments with-script widths" role="group" aria-label="Width of the preview">
    {(["phone", "desktop"] as const).map((width) => (
      <button
        type="button"
        id={`width-${width}`}
        data-width={width}
        aria-pressed={width === "phone" ? "true" : "false"}
        aria-label={width === "phone" ? "Phone" : "Desktop"}
        title={width === "phone" ? "Phone" : "Desktop"}
      >
        <Icon name={width === "phone" ? "smartphone" : "monitor"} />
      </button>
    ))}
  </div>
);

/** How many problems the text has, and a list that leads to them. public/editor/mdx.ts fills it. */
export const ProblemList = () => (
  <>
    <button type="button" class="btn quiet" id="problem-count" popovertarget="problem-list" hidden />
    <div class="menu problem-list" id="problem-list" popover="auto" role="group" aria-label="Problems" />
  </>
);

type Cover = { src: string; isOwn: boolean };

/** What a reader sees above the text. `below` the title: the date of a post, the tech stack of a project. */
type Masthead = { title: string; below: string; cover: Cover };

/** The contents of the pane: first the problems, with links to them. */
export const PreviewPieces = ({ prose, problems, cover, title, below }: Preview & Masthead) => (
  <>
    <Problems problems={problems}>
      {problems.map((problem) => (
        <li>
          <button type="button" class="link" data-caret={String(problem.offset)}>
            {placeOf(problem)}
          </button>{" "}
          <span data-message>{problem.message}</span>
        </li>
      ))}
    </Problems>
    <CoverImage {...cover} />
    <div class="masthead">
      <h2>{title || "Untitled"}</h2>
      {below && <p class="hint">{below}</p>}
    </div>
    <div class="prose">{String(prose) ? prose : <p class="hint">Your preview appears here.</p>}</div>
  </>
);

/** Pictures in Storage are shown, others are described: their host would learn who is writing. */
const CoverImage = ({ src, isOwn }: Cover) =>
  src ? (
    <div class="cover-image">{isOwn ? <img src={src} alt="" /> : <ImageBox src={src} alt="Cover picture" />}</div>
  ) : null;

const placeOf = ({ line, column }: Problem) => `Line ${line}, column ${column}`;

const Problems = ({ problems, children }: { problems: Problem[]; children: Child }) =>
  problems.length ? (
    <div class="errors problems" role="group" aria-label="Problems">
      <p>
        {problems.length === 1 ? "This" : "These"} would break your site’s build. The preview shows{" "}
        {problems.length === 1 ? "it" : "them"} as plain text.
      </p>
      <ul>{children}</ul>
    </div>
  ) : null;

type PageProps = Preview & Masthead & { lead?: string | undefined };

/** The same on a page of its own. Nothing is saved. */
export const PreviewPage = ({ title, below, lead, cover, prose, problems }: PageProps) => (
  <>
    <Head title={title || "Untitled"} lead="Preview only: nothing was saved. Close this tab to continue writing." />
    <Problems problems={problems}>
      {problems.map((problem) => (
        <li>
          <strong>{placeOf(problem)}</strong> {problem.message}
        </li>
      ))}
    </Problems>
    <article class="card previewed">
      <CoverImage {...cover} />
      {below && <p class="hint">{below}</p>}
      {lead && <p class="lead">{lead}</p>}
      <div class="prose">{prose}</div>
    </article>
  </>
);

type Post = { id: string; title: string };

const pathOf = ({ id }: Post) => `${path}/${id}/preview-link`;

/** Leads to a link that shows a draft to people who cannot sign in. */
export const PreviewLink = ({ post, ...link }: { post: Post; id: string; class: string }) => (
  <DialogLink {...link} href={pathOf(post)} icon="link">
    Preview link
  </DialogLink>
);

const days = [
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;

export const PreviewLinkForm = ({ frame, post }: { frame: Frame; post: Post }) => (
  <Form action={pathOf(post)} token={frame.token} class="stack">
    <p>Anyone with the link can read the latest saved version until the link expires.</p>
    <Choice name="days" scope="preview-link" label="Valid for" value="7" options={days} />
    <DialogFooter cancel={`${path}/${post.id}`}>Create link</DialogFooter>
  </Form>
);

type MadeProps = { frame: Frame; post: Post; link: { url: string; expiresAt: Date } };

export const NewPreviewLink = ({ frame, post, link }: MadeProps) => (
  <div class="stack">
    <div class="field">
      <label for="new-preview-link">Preview link</label>
      <div class="secret">
        <input
          class="input"
          id="new-preview-link"
          value={link.url}
          readonly
          autocomplete="off"
          spellcheck="false"
          data-secret
          data-focus
        />
        <CopyButton from="new-preview-link" class="btn primary" />
      </div>
      <p class="hint">
        Valid until {exact(link.expiresAt, frame.preferences)}. It cannot be revoked earlier, except by moving the post
        to the trash.
      </p>
    </div>
    <footer>
      <a class="btn" href={`${path}/${post.id}`} data-close>
        Close
      </a>
    </footer>
  </div>
);
