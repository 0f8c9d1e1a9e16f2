import { timeOfDay } from "../../../components/time";
import type { Child } from "../../../jsx/jsx-runtime";
import { PostLine, type PostState } from "../state";
import { VersionField } from "./form";
import { type FormView, SlugField } from "./fields";

/** The parts of the page that change when the post is saved. What is being typed stays untouched. */
export const SavedPieces = ({
  view,
  typedSlug,
  children,
}: {
  view: FormView & { post: PostState };
  typedSlug: string;
  children?: Child;
}) => (
  <>
    <Piece id="post-version">
      <VersionField version={view.version} />
    </Piece>
    <Piece id="post-line">
      <PostLine {...view} />
    </Piece>
    <hx-partial hx-target="#editor h1" hx-swap="innerHTML">
      {view.post.title}
    </hx-partial>
    <hx-partial hx-target="#saved" hx-swap="innerHTML">
      Saved {timeOfDay(view.frame.now, view.frame.preferences)}
    </hx-partial>
    {typedSlug !== view.fields.slug && (
      <Piece id="slug-field">
        <SlugField view={view} />
      </Piece>
    )}
    {children}
  </>
);

const Piece = ({ id, children }: { id: string; children?: Child }) => (
  <hx-partial hx-target={`#${id}`} hx-swap="outerHTML">
    {children}
  </hx-partial>
);
