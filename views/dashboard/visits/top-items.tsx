import { rounded } from "../../components/charts/scale";
import { number } from "../../components/list";

export type TopItem = { href: string; title: string; count: number };

type TopProps = { what: "posts" | "projects"; noun: string; items: TopItem[] };

/** The most visited in the last 30 days. Each links to its own chart. */
export const TopItems = ({ what, noun, items }: TopProps) => (
  <section class="card" aria-labelledby="top-title">
    <header>
      <h2 id="top-title">Most {noun === "view" ? "viewed" : "clicked"}</h2>
      <span class="hint">Last 30 days</span>
    </header>
    <div class="body">
      {items.length === 0 ? (
        <p class="muted">
          No {what} had {noun}s in the last 30 days.
        </p>
      ) : (
        <ol class="shares">
          {items.map(({ href, title, count }) => (
            <li>
              <a class="wrap" href={href}>
                {title}
              </a>
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
      )}
    </div>
  </section>
);
