import type { Child } from "../jsx/jsx-runtime";
import { Icon } from "./icon";

/** The state of a list is its URL: every view can be bookmarked, shared and gone back to. */
export type ListState = { path: string; query: Record<string, string> };

/** The list's URL with some of its state changed; a change other than of the page goes back to the first one. */
export function listUrl({ path, query }: ListState, change: Record<string, string>): string {
  const next = { ...query, ...("page" in change ? {} : { page: "" }), ...change };
  const search = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== ""));
  return search.size ? `${path}?${search}` : path;
}

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

/**
 * Search, filters, sort and page size in one GET form, so that none forgets the others. The search field stays the
 * same element while the list around it changes: what is typed meanwhile is not lost.
 */
export const SearchForm = ({
  state,
  label,
  placeholder,
  children,
}: {
  state: ListState;
  label: string;
  placeholder: string;
  children?: Child;
}) => (
  <form
    class="filters"
    role="search"
    method="get"
    action={state.path}
    hx-get={state.path}
    hx-target="#list"
    hx-swap="outerHTML"
    hx-push-url="true"
    hx-trigger="submit, change, input delay:200ms"
    hx-sync="this:replace"
  >
    <div class="search">
      <Icon name="search" />
      <label class="sr" for="q">
        {label}
      </label>
      <input
        class="input"
        type="search"
        id="q"
        hx-preserve
        name="q"
        value={state.query.q ?? ""}
        placeholder={placeholder}
        maxlength="200"
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
    {Object.entries(state.query)
      .filter(
        ([name, value]) =>
          value && !["q", "page", "source", "kind", "tag", "where", "actor", "action", "from", "to"].includes(name),
      )
      .map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    {children}
    <button type="submit" class="btn without-script">
      Search
    </button>
  </form>
);

/** A select of the search form; the list follows when it changes. */
export const Filter = ({
  name,
  label,
  all,
  options,
  value,
}: {
  name: string;
  label: string;
  all: string;
  options: readonly (readonly [value: string, label: string])[];
  value: string;
}) =>
  options.length < 1 ? null : (
    <div class="filter">
      <label class="sr" for={`filter-${name}`}>
        {label}
      </label>
      <select class="input" id={`filter-${name}`} name={name}>
        <option value="">{all}</option>
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );

/** The few values of one filter as links with their counts. */
export const Segments = ({
  state,
  name,
  label,
  options,
}: {
  state: ListState;
  name: string;
  label: string;
  options: readonly { value: string; label: string; count?: number | undefined }[];
}) => (
  <nav class="segments" aria-label={label}>
    {options.map(({ value, label: text, count }) => (
      <ListLink
        href={listUrl(state, { [name]: value })}
        id={`segment-${value || "all"}`}
        aria-current={(state.query[name] ?? "") === value ? "true" : undefined}
      >
        {text}
        {count !== undefined && <span class="count">{number(count)}</span>}
      </ListLink>
    ))}
  </nav>
);

/** `isMore`: there are more than `total`, and nobody counted them. */
export type PageOf = { page: number; per: number; total: number; isMore?: boolean };

export function Pager({ state, page, per, total, isMore = false }: PageOf & { state: ListState }) {
  const last = isMore ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(total / per));
  const from = total ? (page - 1) * per + 1 : 0;
  return (
    <nav class="pager" aria-label="Pages">
      <p>
        {number(from)}–{number(isMore ? page * per : Math.min(total, page * per))} of {isMore ? "more than " : ""}
        {number(total)}
      </p>
      {page > 1 && (
        <ListLink
          class="btn sm"
          href={listUrl(state, { page: page === 2 ? "" : String(page - 1) })}
          id="page-previous"
          rel="prev"
        >
          <Icon name="chevron-left" />
          Previous
        </ListLink>
      )}
      {page < last && (
        <ListLink class="btn sm" href={listUrl(state, { page: String(page + 1) })} id="page-next" rel="next">
          Next
          <Icon name="chevron-right" />
        </ListLink>
      )}
    </nav>
  );
}

type ExportsProps = { state: ListState; formats: readonly ("csv" | "json")[] };

/** Files of what the list shows. */
export const Exports = ({ state, formats }: ExportsProps) => (
  <div class="row" id="exports">
    {formats.map((format, at) => (
      <a class="btn" href={listUrl({ ...state, path: `${state.path}/export.${format}` }, {})}>
        {at === 0 && <Icon name="download" />}
        {at === 0 ? `Export ${format.toUpperCase()}` : format.toUpperCase()}
      </a>
    ))}
  </div>
);

/** Travels with the list, so that the files are always of what is shown. */
export const FreshExports = (props: ExportsProps) => (
  <hx-partial hx-target="#exports" hx-swap="outerHTML">
    <Exports {...props} />
  </hx-partial>
);

/** Counts the rows for people who do not see them change. app.ts reads it out after a search. */
export const Announcement = ({ children }: { children?: Child }) => (
  <p class="sr" data-announce>
    {children}
  </p>
);

export const number = (n: number) => n.toLocaleString("en-GB");
export const plural = (n: number, one: string, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
