import { Icon } from "../icon";
import type { ListState } from "../list";

/** A filter: a choice, hidden while there is nothing to choose, or a period of days. */
export type Filter = { name: string; label: string; all: string; options: Options } | { period: string };

/** The page or dialog of conditions, and how many there are. */
type Conditions = { href: string; count: number };

export type SearchProps = {
  state: ListState;
  label: string;
  placeholder?: string;
  filters?: readonly Filter[];
  conditions?: Conditions;
};

/**
 * Search, filters, sorting and page size in one GET form, so that none of them drops the others. The search field stays
 * the same element while the list around it changes, so that nothing typed in between is lost.
 */
export const SearchForm = ({ state, label, placeholder = label, filters = [], conditions }: SearchProps) => (
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
    {conditions && <FilterButton {...conditions} />}
    <button type="submit" class="btn without-script">
      Search
    </button>
  </form>
);

const FilterButton = ({ href, count }: Conditions) => (
  <a
    class="btn"
    id="filter-button"
    href={href}
    hx-get={href}
    hx-target="#dialog"
    hx-swap="innerHTML"
    hx-push-url="false"
  >
    <Icon name="list-filter" />
    Filter
    {count > 0 && (
      <span class="count" aria-label={`${count} in use`}>
        {count}
      </span>
    )}
  </a>
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

type Options = readonly (string | readonly [value: string, label: string])[];

type ChoiceProps = { name: string; label: string; all: string; options: Options; value: string };

const Choice = ({ name, label, all, options, value }: ChoiceProps) =>
  options.length < 1 ? null : (
    <div class="filter">
      <label class="sr" for={`filter-${name}`}>
        {label}
      </label>
      <select class="input" id={`filter-${name}`} name={name}>
        <option value="">{all}</option>
        {options
          .map((option) => (typeof option === "string" ? ([option, option] as const) : option))
          .map(([option, text]) => (
            <option value={option} selected={option === value}>
              {text}
            </option>
          ))}
      </select>
    </div>
  );

/** Hidden until wanted, or in use. The fields stay the same elements while a date is typed. */
const PeriodFields = ({ label, query: { from = "", to = "" } }: { label: string; query: ListState["query"] }) => (
  <div class="filter" id="filter-period">
    <details class="period" open={from !== "" || to !== ""}>
      <summary class="btn">
        {label}
        <Icon name="chevron-down" />
      </summary>
      <div class="row">
        <label for="filter-from">From</label>
        <input class="input" type="date" id="filter-from" name="from" value={from} hx-preserve />
        <label for="filter-to">to</label>
        <input class="input" type="date" id="filter-to" name="to" value={to} hx-preserve />
      </div>
    </details>
  </div>
);
