import { Icon } from "../../components/icon";

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
export const actionForm = { page: "search-actions", palette: "palette-actions" };

type RowProps = { result: Result; q: string; role?: "option"; id?: string };

/** The same row in the palette, where it is an option, and on the page. */
export const ResultRow = ({ result, q, ...option }: RowProps) =>
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
    <span>
      <Marked text={title} q={q} />
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
