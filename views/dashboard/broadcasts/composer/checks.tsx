import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { Badge } from "../../../components/badge";
import { paths } from "../../../paths";
import type { Child } from "../../../jsx/jsx-runtime";

/** A check that failed: `todo` is only not there yet, `block` must be corrected, `warn` has to be confirmed. */
export type CheckView = {
  kind: "todo" | "block" | "warn";
  code: string;
  sentence: string;
  inSpite?: string;
  line?: number;
  places?: { part: string; what: string; line?: number; at?: number }[];
};

/**
 * Where the texts that the checks are about can be edited: `here` beside them, at a URL that is perhaps open `below` their
 * dialog, or on another `page`.
 */
type Editor = "here" | { below: string } | { page: string };
type Editors = {
  text?: Editor | undefined;
  post?: Editor | undefined;
  /** The field of the subject, or of the preview line. */
  line?: ((part: Line) => FieldLink) | undefined;
};
type Line = "subject" | "preheader";
type FieldLink = { href: string; "data-view"?: "write"; "data-close"?: true };

/** The fields of a broadcast, on the page that is perhaps open below. On a phone they may be out of sight. */
export const linesBelow =
  (page: string) =>
  (part: Line): FieldLink => ({ href: `${page}#${part}`, "data-view": "write", "data-close": true });
const linesHere = (part: Line): FieldLink => ({ href: `#${part}`, "data-view": "write" });

/** The page of the post that a broadcast sends. */
export const postEditor = ({ postId }: { postId: string | null }): Editor | undefined =>
  postId ? { page: `${paths.posts}/${postId}` } : undefined;

const shownPlaces = 3;

const leftToDo: Record<string, string> = {
  subject: "Write a subject.",
  empty: "Write the text.",
  recipients: "There are no recipients yet.",
};

/** While someone writes, what is not there yet is no mistake: it blocks only who wants to send. */
const whileWriting = (checks: CheckView[]): CheckView[] =>
  checks.map((check) => {
    const sentence = check.kind === "block" && leftToDo[check.code];
    return sentence ? { ...check, kind: "todo", sentence } : check;
  });

type ChecksProps = { checks: CheckView[]; passed: string[]; broadcast: { postId: string | null } };

/** The checks, which are updated when the text is saved. */
export const Checks = ({ checks, passed, broadcast }: ChecksProps) => (
  <section id="checks" data-pane="checks" aria-label="Checks">
    <Score checks={checks} passed={passed.length} />
    {checks.length > 0 && (
      <Verdicts
        checks={whileWriting(checks)}
        editors={{ text: "here", post: postEditor(broadcast), line: linesHere }}
      />
    )}
    <Passed passed={passed} />
  </section>
);

/** How many checks are left, of which kinds, and how far that is. */
const Score = ({ checks, passed }: { checks: CheckView[]; passed: number }) => {
  const all = checks.length + passed;
  return (
    <div class="score">
      <p>
        {checks.length > 0 ? (
          <>
            <strong>{checks.length}</strong> left: {kindsOf(checks).join(", ")}
          </>
        ) : (
          <strong>Ready to send</strong>
        )}
      </p>
      <progress class="bar" max={all} value={passed} aria-hidden="true" />
      <p class="hint">
        {passed} of {all} passed
      </p>
    </div>
  );
};

/** The checks that passed: one line that can be expanded. */
const Passed = ({ passed }: { passed: string[] }) => (
  <details class="passed" id="passed">
    <summary>
      <Icon name="circle-check" />
      Passed {plural(passed.length, "check")}
    </summary>
    <ul>
      {passed.map((sentence) => (
        <li>{sentence}</li>
      ))}
    </ul>
  </details>
);

const looks = {
  todo: { class: "later", icon: "pencil" },
  block: { class: "stops", icon: "circle-alert" },
  warn: { class: "look", icon: "triangle-alert" },
} as const;

/**
 * While emails are simulated, which is one of the warnings, nothing is sent.
 *
 * @param canAccept with a checkbox for each warning, in the form that sends
 */
export const Verdicts = ({
  checks,
  canAccept = false,
  accepted = [],
  editors = {},
}: {
  checks: CheckView[];
  canAccept?: boolean;
  accepted?: string[];
  editors?: Editors;
}) => {
  const isSimulated = checks.some(({ code }) => code === "simulated");
  return (
    <ul class="verdicts">
      {checks.map((check) => (
        <li class={looks[check.kind].class}>
          <Icon name={looks[check.kind].icon} />
          <div>
            <strong>
              {check.kind === "block" && "Blocked: "}
              {check.sentence}
            </strong>
            <Places {...check} editors={editors} />
            {canAccept && check.kind === "warn" && (
              <div class="check">
                <input
                  type="checkbox"
                  id={`fine-${check.code}`}
                  name="fine"
                  value={check.code}
                  checked={accepted.includes(check.code)}
                  required
                />
                <label for={`fine-${check.code}`}>
                  {isSimulated ? "Simulate" : "Send"} {check.inSpite}
                </label>
              </div>
            )}
          </div>
          {!canAccept && check.code === "test" && <SendTest />}
        </li>
      ))}
    </ul>
  );
};

/** What the missing test needs, where it is missed. */
const SendTest = () => (
  <button type="submit" form="broadcast-form" class="btn sm" id="send-test-at-once" name="do" value="test">
    Send test
  </button>
);

const partNames: Record<string, string> = { text: "Line", post: "Post, line" };
const lineNames = { subject: "Subject", preheader: "Preview line" };
const isLine = (part: string): part is Line => part in lineNames;

/** Leads to the field of the subject or the preview line. */
const WayToLine = ({ part, editors }: { part: Line; editors: Editors }) =>
  editors.line ? <a {...editors.line(part)}>{lineNames[part]}</a> : <>{lineNames[part]}</>;

type PlacesProps = CheckView & { editors: Editors };

const Places = ({ code, places = [], editors }: PlacesProps) => {
  const others = places.length - shownPlaces;
  return (
    <>
      {code === "subject" && editors.line && (
        <span class="sub">
          <WayToLine part="subject" editors={editors} />
        </span>
      )}
      {code === "empty" && editors.text && (
        <span class="sub">
          <WayTo editor={editors.text} at={0}>
            Text
          </WayTo>
        </span>
      )}
      {places.slice(0, shownPlaces).map(({ part, line, at, what }) => (
        <span class="sub">
          {isLine(part) ? (
            <WayToLine part={part} editors={editors} />
          ) : (
            <WayTo editor={part === "text" || part === "post" ? editors[part] : undefined} at={at}>
              {[partNames[part], line].filter(Boolean).join(" ")}
            </WayTo>
          )}
          : <code>{what.slice(0, 80)}</code>
        </span>
      ))}
      {others > 0 && <span class="sub">and {plural(others, "other")}</span>}
    </>
  );
};

type WayProps = { editor: Editor | undefined; at: number | undefined; children?: Child };

/** Leads to a place of the text: the editor’s script puts the caret there, on another page as soon as it is loaded. */
export function WayTo({ editor, at, children }: WayProps) {
  if (!editor || at === undefined) return <>{children}</>;
  if (editor !== "here" && "page" in editor) return <a href={`${editor.page}#at=${at}`}>{children}</a>;
  if (editor !== "here")
    return (
      <a href={editor.below} data-close data-caret={String(at)}>
        {children}
      </a>
    );
  return (
    <>
      <button type="button" class="link with-script" data-caret={String(at)}>
        {children}
      </button>
      <span class="without-script">{children}</span>
    </>
  );
}

const kinds = [
  { kind: "block", tone: "bad", words: (count: number) => plural(count, "blocker") },
  { kind: "todo", tone: "off", words: (count: number) => `${count} to do` },
  { kind: "warn", tone: "warn", words: (count: number) => `${count} to confirm` },
] as const;

/** How many there are of each kind, the most urgent first: what is to be confirmed waits until the rest is done. */
const kindsOf = (checks: CheckView[]) => counted(checks).map(({ words, count }) => words(count));

const counted = (all: CheckView[]) => {
  const checks = whileWriting(all);
  const countOf = (wanted: CheckView["kind"]) => checks.filter(({ kind }) => kind === wanted).length;
  return kinds.map(({ kind, tone, words }) => ({ tone, words, count: countOf(kind) })).filter(({ count }) => count > 0);
};

/** The most urgent kind in the bar below the text, which is always in sight: as short as a phone has room for. */
export function Tally({ checks }: { checks: CheckView[] }) {
  const [first] = counted(checks);
  return (
    <span class="tally" id="tally">
      {first ? (
        <a href="#checks" data-view="checks">
          <Badge tone={first.tone}>{first.words(first.count)}</Badge>
        </a>
      ) : (
        <Badge tone="good">Ready to send</Badge>
      )}
    </span>
  );
}
