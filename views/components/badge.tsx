import type { Child } from "../jsx/jsx-runtime";

/** A status in one word, with a dot whose shape repeats it: filled is on, a ring is off. */
export const Badge = ({
  tone,
  children,
}: {
  tone: "good" | "warn" | "bad" | "off" | "busy" | "plan";
  children?: Child;
}) => <span class={`badge ${tone}`}>{children}</span>;

/** The status that nearly every row has: a quiet word, so that the others are seen. On a phone it is only said. */
export const Usual = ({ children }: { children?: Child }) => <span class="usual">{children}</span>;

/** How often something was tried, below its status: nearly always once, which is not worth a word. */
export const Attempts = ({ count }: { count: number }) =>
  count > 1 ? <span class="sub attempts">{count} attempts</span> : null;
