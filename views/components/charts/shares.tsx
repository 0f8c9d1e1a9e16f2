import { number } from "../list";
import type { Period } from "./period";
import { rounded } from "./plot";

/** What someone else may have named has no link: it would lead where they like. */
export type Counted = { href?: string | undefined; title: string; count: number };

/** The most visited, each with a bar beside that of the first. @param noun "view": what is counted */
export const Shares = ({ items, noun }: { items: Counted[]; noun: string }) => (
  <ol class="shares">
    {items.map(({ href, title, count }) => (
      <li>
        {href ? (
          <a class="wrap" href={href}>
            {title}
          </a>
        ) : (
          <span class="wrap">{title}</span>
        )}
        <span class="num">
          {number(count)}
          <span class="sr"> {noun}s</span>
        </span>
        <svg class="share" aria-hidden="true">
          <rect class="rest" width="100%" height="100%" />
          <rect class="one" width={`${rounded((100 * count) / (items[0]?.count ?? count))}%`} height="100%" />
        </svg>
      </li>
    ))}
  </ol>
);

type Props = {
  /** Hosts with their views; undefined if no view has ever said where it came from. */
  items: Counted[] | undefined;
  period: Period;
  /** For how many days they are kept. */
  keptDays: number;
  /** The period, if nothing beside it says so. */
  hint?: string;
};

/** Which sites readers came from, as far as their browsers say so. */
export const Referrers = ({ items, period, keptDays, hint }: Props) => (
  <section class="card" aria-labelledby="referrers-title">
    <header>
      <h2 id="referrers-title">Where readers come from</h2>
      {period === "all" ? <span class="hint">The last {keptDays} days</span> : hint && <span class="hint">{hint}</span>}
    </header>
    <div class="body">
      {items?.length ? (
        <>
          <Shares items={items} noun="view" />
          <p class="hint">
            Only views whose browser names a site. Its host name is kept, the rest of its address is not.
          </p>
        </>
      ) : (
        <p class="muted">
          {items ? "No view named a site in this time." : "Not known yet. It appears once a browser names a site."}
        </p>
      )}
    </div>
  </section>
);
