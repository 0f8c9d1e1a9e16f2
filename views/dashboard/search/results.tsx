import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { paths } from "../../paths";
import { Head } from "../shell";

/** A result: a page to open, or a form without fields to send. */
export type Result = {
  icon: string;
  title: string;
  /** What it is, or where the words were found. */
  sub?: string | undefined;
  /** The keys that open it: "g n". */
  keys?: string | undefined;
} & ({ href: string } | { action: string });

export type ResultGroup = {
  id: string;
  name: string;
  rows: Result[];
  /** The number of matches; there are more if `isMore`, because not everything was searched. */
  total: number;
  isMore: boolean;
  /** The list with all of them. */
  href?: string | undefined;
};

/** The form of the buttons among the results. It is outside their list, which may contain only results. */
const actionForm = { page: "search-actions", palette: "palette-actions" };

type RowProps = { result: Result; q: string; role?: "option"; id?: string };

/** The same row in the palette, where it is an option, and on the page. */
const ResultRow = ({ result, q, ...option }: RowProps) =>
  "href" in result ? (
    <a class="result" href={result.href} {...option} {...inPalette(option)}>
      <Words result={result} q={q} />
    </a>
  ) : (
    <button
      class="result"
      type="submit"
      form={actionForm[option.role ? "palette" : "page"]}
      formaction={result.action}
      {...option}
      {...inPalette(option)}
    >
      <Words result={result} q={q} />
    </button>
  );

/** The focus stays in the field; the script moves the selection. */
const inPalette = ({ role }: Pick<RowProps, "role">) => role && ({ tabindex: "-1", "aria-selected": "false" } as const);

const Words = ({ result: { icon, title, sub, keys }, q }: RowProps) => (
  <>
    <Icon name={icon} />
    <span class="found-words">
      <span>
        <Marked text={title} q={q} />
      </span>
      {sub && " "}
      {sub && (
        <span class="sub">
          <Marked text={sub} q={q} />
        </span>
      )}
    </span>
    {keys && <kbd aria-hidden="true">{keys}</kbd>}
  </>
);

/** Emphasises the first match, by weight and underline instead of colour. */
function Marked({ text, q }: { text: string; q: string }) {
  const at = q ? text.toLowerCase().indexOf(q.toLowerCase()) : -1;
  const match = text.slice(at, at + q.length);
  const isMatch = at >= 0 && match.toLowerCase() === q.toLowerCase(); // some letters change length in lower case
  return isMatch ? (
    <>
      {text.slice(0, at)}
      <mark>{match}</mark>
      {text.slice(at + q.length)}
    </>
  ) : (
    <>{text}</>
  );
}

export type ResultsView = {
  /** What was typed. */
  asked: string;
  /** What was searched for: empty if the text is too short. */
  q: string;
  groups: ResultGroup[];
  suggestions: ResultGroup;
};

const totalOf = (groups: ResultGroup[]) => groups.reduce((sum, { total }) => sum + total, 0);
const shownOf = (groups: ResultGroup[]) => groups.reduce((sum, { rows }) => sum + rows.length, 0);

/** What screen readers announce after typing. */
function announcementOf({ q, groups, suggestions }: ResultsView): string {
  const count = shownOf(groups);
  if (!q) return plural(count, "suggestion");
  const [total, isMore] = [totalOf(groups), groups.some((group) => group.isMore)];
  if (count > 0 && !isMore && total > count) return `${count} of ${plural(total, "result")} for ${q}`;
  if (count > 0) return `${plural(count, "result")} for ${q}`;
  return `No results for ${q}. ${plural(suggestions.rows.length, "suggestion")}`;
}

/** The results in the palette: a list box whose options the script in public/app/palette.ts selects. */
export function PaletteResults({ frame, ...view }: ResultsView & { frame: Frame }) {
  const { q, groups, suggestions } = view;
  const isNothing = q !== "" && shownOf(groups) === 0;
  return (
    <>
      <Form id={actionForm.palette} action={paths.search} token={frame.token} plain />
      {isNothing && <Nothing q={q} />}
      <div
        class="results"
        id="palette-list"
        role="listbox"
        aria-label="Results"
        data-q={view.asked}
        data-said={announcementOf(view)}
      >
        {(isNothing ? [suggestions] : groups).map((group) => (
          <Options group={group} q={q} />
        ))}
        {q && totalOf(groups) > shownOf(groups) && (
          <div class="rest" role="group" aria-label="More">
            <ResultRow
              result={{
                icon: "search",
                title: allWords(q, groups),
                href: `${paths.search}?${new URLSearchParams({ q })}`,
              }}
              q=""
              role="option"
              id="option-all"
            />
          </div>
        )}
      </div>
      <Keys />
    </>
  );
}

const allWords = (q: string, groups: ResultGroup[]) =>
  groups.some(({ isMore }) => isMore)
    ? `All results for “${q}”`
    : `All ${plural(totalOf(groups), "result")} for “${q}”`;

const Options = ({ group: { id, name, rows }, q }: { group: ResultGroup; q: string }) => (
  <div role="group" aria-labelledby={`results-${id}`}>
    <div class="group-name" id={`results-${id}`}>
      {name}
    </div>
    {rows.map((result, at) => (
      <ResultRow result={result} q={q} role="option" id={`option-${id}-${at}`} />
    ))}
  </div>
);

/** Says what was searched, so that "not found" is not mistaken for "does not exist". */
const Nothing = ({ q }: { q: string }) => (
  <div class="nothing">
    <p>
      <strong class="wrap">Nothing matches “{q}”</strong>
    </p>
    <p class="muted">
      People, messages, posts, projects, files, broadcasts and settings were searched, without the trash.
    </p>
  </div>
);

const Keys = () => (
  <p class="how" aria-hidden="true">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> choose
    </span>
    <span>
      <kbd>Enter</kbd> open
    </span>
    <span>
      <kbd>Ctrl Enter</kbd> in a new tab
    </span>
  </p>
);

/** The search over everything as a page: the palette's rows, more of them, without a script. */
export function SearchPage({ frame, asked, q, groups, suggestions }: ResultsView & { frame: Frame }) {
  const isNothing = q !== "" && groups.length === 0;
  return (
    <>
      <Head title="Search" lead="People, messages, posts, projects, files, broadcasts, settings and actions." />
      <SearchField q={asked} longest={frame.longestSearch} />
      <Form id={actionForm.page} action={paths.search} token={frame.token} plain />
      {isNothing && <Nothing q={q} />}
      <div class="results">
        {(isNothing ? [suggestions] : groups).map((group) => (
          <Section group={group} q={q} />
        ))}
      </div>
    </>
  );
}

const SearchField = ({ q, longest }: { q: string; longest: number | undefined }) => (
  <form class="toolbar" role="search" method="get" action={paths.search} aria-label="Everything">
    <div class="search">
      <Icon name="search" />
      <label class="sr" for="q">
        Search everything
      </label>
      <input class="input" type="search" id="q" name="q" value={q} maxlength={longest} autofocus={q === ""} />
    </div>
    <button type="submit" class="btn">
      Search
    </button>
  </form>
);

const Section = ({ group: { id, name, rows, total, isMore, href }, q }: { group: ResultGroup; q: string }) => (
  <section aria-labelledby={`results-${id}`}>
    <h2 class="group-name" id={`results-${id}`}>
      {name}
    </h2>
    <ul>
      {rows.map((result) => (
        <li>
          <ResultRow result={result} q={q} />
        </li>
      ))}
    </ul>
    {href && (total > rows.length || isMore) && (
      <p class="rest">
        <a href={href}>
          {isMore ? "Search" : `All ${plural(total, "result")} in`} {name}
        </a>
      </p>
    )}
  </section>
);
