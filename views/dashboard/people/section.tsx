import type { Frame } from "../../components/frame";
import { number } from "../../components/list";
import { Time } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";

type SectionProps = {
  id: string;
  title: string;
  shown: number;
  total: number;
  /** The URL that shows all of them. */
  more: string;
  children?: Child;
};

/** A card with the newest rows of a kind. */
export const Section = ({ id, title, shown, total, more, children }: SectionProps) => (
  <section class="card" aria-labelledby={`${id}-title`}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      {shown < total && (
        <span class="hint">
          {number(shown)} of {number(total)} · <a href={`${more}#${id}-title`}>Show all</a>
        </span>
      )}
    </header>
    {total === 0 ? <p class="body muted">None</p> : <ul class="latest">{children}</ul>}
  </section>
);

type EntryProps = {
  href: string;
  title: string;
  state?: Child;
  at: Date | null;
  frame: Frame;
  /** Further details. */
  children?: Child;
};

/** One of these rows. */
export const Entry = ({ href, title, state, at, frame, children }: EntryProps) => (
  <li>
    <a class="who" href={href}>
      {title}
    </a>
    <span class="row">
      {state} {at && <Time at={at} clock={frame} />}
    </span>
    {children && <p>{children}</p>}
  </li>
);
