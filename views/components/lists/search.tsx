import { Icon } from "../icon";
import type { ListState } from "../list";

/** A field that narrows the list: a choice, gone while there is nothing to choose, or a day. */
export type Filter = { name: string; label: string } & ({ all: string; options: Options } | { type: "date" });
type Options = readonly (string | readonly [value: string, label: string])[];

export type SearchProps = { state: ListState; label: string; placeholder?: string; filters?: readonly Filter[] };

/**
 * Search, filters, sort and page size in one GET form, so that none forgets the others. The search field stays the
 * same element while the list around it changes: what is typed meanwhile is not lost.
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
        maxlength="200"
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
    <Rest query={state.query} without={["q", "page", ...filters.map(({ name }) => name)]} />
    {filters.map((filter) => {
      const value = state.query[filter.name] ?? "";
      return "options" in filter ? <Choice {...filter} value={value} /> : <Day {...filter} value={value} />;
    })}
    <button type="submit" class="btn without-script">
      Search
    </button>
  </form>
);

/** What the URL says besides. */
const Rest = ({ query, without }: { query: ListState["query"]; without: string[] }) => (
  <>
    {Object.entries(query)
      .filter(([name, value]) => value && !without.includes(name))
      .map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
  </>
);

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

const Day = ({ name, label, value }: { name: string; label: string; value: string }) => (
  <div class="filter row">
    <label for={`filter-${name}`}>{label}</label>
    <input class="input" type="date" id={`filter-${name}`} name={name} value={value} />
  </div>
);
