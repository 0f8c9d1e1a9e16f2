import type { Child } from "../jsx/jsx-runtime";
import { Icon } from "./icon";

export type EmptyProps = { icon: string; title: string; children?: Child };

/** Nothing here yet: what will appear, and one thing to do. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);

/** Nothing matches: not the same as nothing there. */
export const NoMatch = ({ what, query, clear }: { what: string; query?: string | undefined; clear: string }) => (
  <div class="empty">
    <Icon name="search" />
    <h2>No matching {what}</h2>
    {query && (
      <p>
        Nothing was found for <strong>“{query}”</strong>.
      </p>
    )}
    <a class="btn" href={clear}>
      Clear search and filters
    </a>
  </div>
);
