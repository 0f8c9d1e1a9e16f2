import type { Child } from "../../jsx/jsx-runtime";
import type { Frame } from "../frame";
import { ListLink, type ListState, listUrl, number, type PageOf, plural } from "../list";
import { ChooseColumns, type ChoosableList } from "./choose-columns";
import { SavedViews } from "./saved-views";
import { SearchForm, type SearchProps } from "./search";
import { Icon } from "../icon";

type SegmentsProps = {
  name: string;
  label: string;
  options: readonly { value: string; label: string; count?: number | undefined }[];
};

export type HeadProps = {
  view: Pick<PageOf, "total" | "isMore"> & { frame: Frame; state: ListState };
  /** The noun for a row, for announcing how many were found. */
  noun: string;
  /** The number of rows in words, if there are several kinds. It is seen although the list has none of the first kind. */
  count?: string | undefined;
  /** Beside the number of rows. */
  note?: Child;
  segments?: SegmentsProps | undefined;
  search?: Omit<SearchProps, "state"> | undefined;
  /** The list whose columns can be chosen. */
  columns?: ChoosableList | undefined;
};

/** What is above the rows: filters, search, number of rows, and saved views. */
export const ListHead = ({
  view: { frame, state, total, isMore },
  noun,
  count,
  note,
  segments,
  search,
  columns,
}: HeadProps) => (
  <>
    {(segments || search) && (
      <div class="toolbar">
        {segments && <Segments state={state} {...segments} />}
        {search && <SearchForm state={state} {...search} />}
      </div>
    )}
    <div class="found-line">
      <Announcement isSeen={total > 0 || count !== undefined}>
        {isMore ? "More than " : ""}
        {count ?? plural(total, noun)}
      </Announcement>
      {note}
      <SavedViews frame={frame} state={state} />
      {columns && <ChooseColumns frame={frame} list={columns} />}
    </div>
  </>
);

/** The few values of a filter as links with counts. */
const Segments = ({ state, name, label, options }: SegmentsProps & { state: ListState }) => (
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

/** The number of rows. app.ts announces it after a search. Of none, what is in their place says so to the eye. */
export const Announcement = ({ isSeen = true, children }: { isSeen?: boolean; children?: Child }) => (
  <p class={isSeen ? "found" : "found sr"} data-announce>
    {children}
  </p>
);

/** What of a list's URL leaves no row out. */
const withoutEffect = ["sort", "page", "per", "after"];

const isFiltered = ({ query }: ListState) =>
  Object.entries(query).some(([name, value]) => value !== "" && !withoutEffect.includes(name));

type Format = "csv" | "json";

/** Says whether a file has the whole list or what is left of it: "Export filtered list as CSV". */
export const exportLabel = (state: ListState, format: Format, what = isFiltered(state) ? "filtered list" : "list") =>
  `Export ${what} as ${format.toUpperCase()}`;

type ExportsProps = {
  state: ListState;
  formats: readonly Format[];
  /** What the files have, if it is not a list. */
  what?: string | undefined;
};

/** Links to files of what the list shows: beside the page's first action, or in its menu. */
export const Exports = ({ state, formats, what }: ExportsProps) => (
  <div class="row" id="exports">
    {formats.map((format) => (
      <a class="btn quiet" href={listUrl({ ...state, path: `${state.path}/export.${format}` }, {})}>
        <Icon name="download" />
        {exportLabel(state, format, what)}
      </a>
    ))}
  </div>
);

/** Sent with the list, so that the files always match it. */
export const FreshExports = (props: ExportsProps) => (
  <hx-partial hx-target="#exports" hx-swap="outerHTML">
    <Exports {...props} />
  </hx-partial>
);
