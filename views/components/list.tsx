import type { Child } from "../jsx/jsx-runtime";
import { Empty, type EmptyProps } from "./empty";
import type { Frame } from "./frame";

/** The state of a list is its URL: every view can be bookmarked, shared and gone back to. */
export type ListState = { path: string; query: Record<string, string> };

/** The list's URL with some of its state changed; a change other than of the page goes back to the first one. */
export function listUrl({ path, query }: ListState, change: Record<string, string>): string {
  const next = { ...query, ...("page" in change ? {} : { page: "" }), ...change };
  const search = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== ""));
  return search.size ? `${path}?${search}` : path;
}

/** Which rows of how many a list shows. `isMore`: there are more than `total`, and nobody counted them. */
export type PageOf = { page: number; per: number; total: number; isMore?: boolean };

/** What every list is made of. */
export type ListView<Row> = PageOf & { frame: Frame; state: ListState; rows: Row[] };

/** A link that redraws only the list when it can. */
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

/** In the place of a list that has never had a row. */
export const EmptyList = ({ label, ...about }: EmptyProps & { label: string }) => (
  <section class="list card" id="list" aria-label={label}>
    <Empty {...about} />
  </section>
);

let digits: Intl.NumberFormat | undefined; // made when first needed: not at the start

export const number = (n: number) => (digits ??= new Intl.NumberFormat("en-GB")).format(n);
export const plural = (n: number, one: string, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
