import type { Child } from "../jsx/jsx-runtime";
import { Drawing, type DrawingName } from "./drawings";
import { Icon } from "./icon";

/** With an icon for what is only filtered away, and with a drawing for what has never been there. */
export type EmptyProps = { title: string; children?: Child } & ({ icon: string } | { drawing: DrawingName });

/** An empty list: what will appear, and one thing to do. */
export const Empty = ({ title, children, ...picture }: EmptyProps) => (
  <div class="empty">
    {"drawing" in picture ? <Drawing name={picture.drawing} /> : <Icon name={picture.icon} />}
    <h2>{title}</h2>
    {children}
  </div>
);

/** @param what for example "posts" */
export const EmptyTrash = ({ what }: { what: string }) => (
  <Empty drawing="basket" title="The trash is empty">
    <p>Deleted {what} are kept here for 30 days.</p>
  </Empty>
);

/** How a site adds to the list: for its developer, so it is folded away. */
export const Example = ({ of, children }: { of: string; children: string }) => (
  <details class="example">
    <summary>The request a {of} sends</summary>
    <pre tabindex="0">{children}</pre>
  </details>
);

type NoMatchProps = { what: string; query?: string | undefined; clear: string; children?: Child };

/** A search without results, which differs from an empty list. @param children where else to look */
export const NoMatch = ({ what, query, clear, children }: NoMatchProps) => (
  <div class="empty">
    <Icon name="search" />
    <h2>No matching {what}</h2>
    {query && (
      <p>
        Nothing was found for <strong>“{query}”</strong>.
      </p>
    )}
    {children}
    <a class="btn" href={clear}>
      Clear search and filters
    </a>
  </div>
);
