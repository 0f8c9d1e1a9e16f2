import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";

/** Amber: someone should decide. */
export type Warning = {
  icon?: string;
  /** Something is broken: red, and first. */
  isBad?: boolean;
  /** Part of the service has stopped until someone deals with it: never folded away, like what is broken. */
  isStop?: boolean;
  text: Child;
  link?: { href: string; text: string };
};

const rank = ({ isBad, isStop }: Warning) => (isBad ? 0 : isStop ? 1 : 2);

/** The warnings. If there are several, those that can wait are folded away, to keep the figures in sight. */
export function Attention({ warnings }: { warnings: Warning[] }) {
  const [first, ...others] = warnings.toSorted((a, b) => rank(a) - rank(b));
  if (!first) return null;
  if (others.length === 0) return <Alone warning={first} />;
  const waiting = others.filter((warning) => rank(warning) === 2);
  const folded = waiting.length > 1 ? waiting : []; // folding a single line would save nothing
  return (
    <section class="card attention" aria-labelledby="attention-title">
      <h2 id="attention-title">{plural(warnings.length, "thing")} need attention</h2>
      <Lines warnings={[first, ...others.filter((warning) => !folded.includes(warning))]} />
      {folded.length > 0 && (
        <details>
          <summary>{folded.length} more</summary>
          <Lines warnings={folded} />
        </details>
      )}
    </section>
  );
}

const Alone = ({ warning }: { warning: Warning }) => (
  <section aria-label="Warnings">
    <div class={warning.isBad ? "note bad" : "note"}>
      <Words {...warning} />
    </div>
  </section>
);

const Lines = ({ warnings }: { warnings: Warning[] }) => (
  <ul>
    {warnings.map((warning) => (
      <li class={warning.isBad ? "bad" : undefined}>
        <Words {...warning} />
      </li>
    ))}
  </ul>
);

const Words = ({ icon = "triangle-alert", text, link }: Warning) => (
  <>
    <Icon name={icon} />
    <p>{text}</p>
    {link && <a href={link.href}>{link.text}</a>}
  </>
);
