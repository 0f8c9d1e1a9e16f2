import { Icon } from "../icon";
import type { ListState } from "../list";
import { Choice, type Options } from "./filter-choice";
import { PeriodFields } from "./period-fields";

/** A filter: a choice, hidden while there is nothing to choose, or a period of days. */
export type Filter = { name: string; label: string; all: string; options: Options } | { period: string };

export type SearchProps = { state: ListState; label: string; placeholder?: string; filters?: readonly Filter[] };

/**
 * Search, filters, sorting and page size in one GET form, so that none of them drops the others. The search field stays
 * the same element while the list around it changes, so that nothing typed in between is lost.
 */
export const SearchForm = ({ state, label, placeholder = label, filters = [] }: SearchProps) => (
  <form
    class="filters"
    role="search"
    method="get"
    action={state.path}
    hx-get={state.path}
    hx-target="#list"
    hx-swap="outerHTML"
    hx-push-url="true"
    hx-trigger="submit, input delay:200ms, change target:select"
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
        maxlength={state.longestSearch}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
    <Rest
      query={state.query}
      without={["q", "page", ...filters.flatMap((filter) => ("period" in filter ? ["from", "to"] : filter.name))]}
    />
    {filters.map((filter) =>
      "period" in filter ? (
        <PeriodFields label={filter.period} query={state.query} />
      ) : (
        <Choice {...filter} value={state.query[filter.name] ?? ""} />
      ),
    )}
    <button type="submit" class="btn without-script">
      Search
    </button>
  </form>
);

/** The rest of the URL's query. */
const Rest = ({ query, without }: { query: ListState["query"]; without: string[] }) => (
  <>
    {Object.entries(query)
      .filter(([name, value]) => value && !without.includes(name))
      .map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
  </>
);
