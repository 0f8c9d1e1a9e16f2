import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { Badge } from "../../../components/badge";

/** A check that failed: `block` must be corrected, `warn` has to be confirmed. */
export type CheckView = {
  kind: "block" | "warn";
  code: string;
  sentence: string;
  line?: number;
  places?: { part: string; what: string; line?: number }[];
};

const shownPlaces = 3;

/** The checks, which are updated when the text is saved. */
export const Checks = ({ checks, passed }: { checks: CheckView[]; passed: string[] }) => (
  <section class="card" id="checks" aria-labelledby="checks-title">
    <header>
      <h2 id="checks-title">Checks</h2>
      <span class="hint">{tallyOf(checks)}</span>
    </header>
    <div class="body">
      {checks.length > 0 && <Verdicts checks={checks} />}
      <Passed passed={passed} />
    </div>
  </section>
);

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

/** @param canAccept with a checkbox for each warning, in the form that sends */
export const Verdicts = ({
  checks,
  canAccept = false,
  accepted = [],
}: {
  checks: CheckView[];
  canAccept?: boolean;
  accepted?: string[];
}) => (
  <ul class="verdicts">
    {checks.map((check) => (
      <li class={check.kind === "block" ? "stops" : "look"}>
        <Icon name={check.kind === "block" ? "circle-alert" : "triangle-alert"} />
        <div>
          <strong>
            {check.kind === "block" && "Blocked: "}
            {check.sentence}
          </strong>
          <Places {...check} />
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
                Send anyway<span class="sr">: {check.sentence}</span>
              </label>
            </div>
          )}
        </div>
      </li>
    ))}
  </ul>
);

const partNames: Record<string, string> = {
  subject: "Subject",
  preheader: "Preview line",
  text: "Line",
  post: "Post, line",
};

const Places = ({ places = [] }: CheckView) => {
  const others = places.length - shownPlaces;
  return (
    <>
      {places.slice(0, shownPlaces).map(({ part, line, what }) => (
        <span class="sub">
          {[partNames[part], line].filter(Boolean).join(" ")}: <code>{what.slice(0, 80)}</code>
        </span>
      ))}
      {others > 0 && <span class="sub">and {plural(others, "other")}</span>}
    </>
  );
};

const countOf = (checks: CheckView[], kind: CheckView["kind"]) => checks.filter((check) => check.kind === kind).length;

function tallyOf(checks: CheckView[]): string {
  const [blockers, warnings] = [countOf(checks, "block"), countOf(checks, "warn")];
  return [blockers && plural(blockers, "blocker"), warnings && `${warnings} to confirm`].filter(Boolean).join(", ");
}

/** The same in the bar at the bottom, which is always visible. */
export const Tally = ({ checks }: { checks: CheckView[] }) => {
  const [blockers, warnings] = [countOf(checks, "block"), countOf(checks, "warn")];
  return (
    <span class="tally" id="tally">
      {blockers > 0 && (
        <a href="#checks">
          <Badge tone="bad">{plural(blockers, "blocker")}</Badge>
        </a>
      )}
      {warnings > 0 && (
        <a href="#checks">
          <Badge tone="warn">{warnings} to confirm</Badge>
        </a>
      )}
      {checks.length === 0 && <Badge tone="good">Ready to send</Badge>}
    </span>
  );
};
