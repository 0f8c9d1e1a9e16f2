import { number } from "../list";
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
