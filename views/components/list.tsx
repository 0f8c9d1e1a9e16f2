import type { Child } from "../jsx/jsx-runtime";
import { Empty, type EmptyProps } from "./empty";
import type { Frame } from "./frame";

/** The state of a list is its URL: every view can be bookmarked, shared and returned to. */
export type ListState = {
  path: string;
  query: Record<string, string>;
  /** What the rows are sorted by if the URL says nothing. */
  initialSort?: string | undefined;
  /** The most characters of a search. */
  longestSearch?: number | undefined;
};

/** Returns the list's URL with some of its state changed. Any change other than of the page leads to the first page. */
export function listUrl({ path, query }: ListState, change: Record<string, string>): string {
  const next = { ...query, ...("page" in change ? {} : { page: "" }), ...change };
  const search = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== ""));
  return search.size ? `${path}?${search}` : path;
}

/**
 * Which rows a list shows, and how many there are. `isMore`: there are more than `total`, but they were not counted.
 */
export type PageOf = { page: number; per: number; total: number; isMore?: boolean };

/** The data of every list. */
export type ListView<Row> = PageOf & { frame: Frame; state: ListState; rows: Row[] };

type LinkedNamesProps = { links: { name: string; href: string }[]; most?: number; areChips?: boolean };

/** Names with their links, in a row of text or as chips. Those after the first `most` are counted, and named in the title. */
export function LinkedNames({ links, most = links.length, areChips = false }: LinkedNamesProps) {
  const others = links.slice(most).map(({ name }) => name);
  const names = (
    <>
      {links.slice(0, most).map(({ name, href }, at) => (
        <>
          {at > 0 && !areChips && ", "}
          <a class={areChips ? "chip" : undefined} href={href}>
            {name}
          </a>
        </>
      ))}
      {others.length > 0 && (
        <span class={areChips ? "sub" : undefined} title={others.join(", ")}>
          {" "}
          +{others.length}
          <span class="sr"> and {others.join(", ")}</span>
        </span>
      )}
    </>
  );
  return areChips ? <span class="chips">{names}</span> : names;
}

/** A link that, with htmx, redraws only the list. */
export const ListLink = ({
  href,
  children,
  ...rest
}: {
  href: string;
  id?: string;
  class?: string;
  "aria-current"?: "true" | "page" | undefined;
  "aria-label"?: string;
  rel?: string;
  children?: Child;
}) => (
  <a href={href} hx-get={href} hx-target="#list" hx-swap="outerHTML" hx-push-url="true" {...rest}>
    {children}
  </a>
);

/** Shown instead of a list that has never had a row. */
export const EmptyList = ({ label, ...about }: EmptyProps & { label: string }) => (
  <section class="list card" id="list" aria-label={label}>
    <Empty {...about} />
  </section>
);

let digits: Intl.NumberFormat | undefined; // created on first use, not at the start

export const number = (n: number) => (digits ??= new Intl.NumberFormat("en-GB")).format(n);
export const plural = (n: number, one: string, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

/** With a capital first letter, as a sentence or a label begins. */
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
