import type { Child } from "../jsx/jsx-runtime";

/** A state in a word, with a dot whose shape says it again: filled is on, a ring is off. */
export const Badge = ({
  tone,
  children,
}: {
  tone: "good" | "warn" | "bad" | "off" | "busy" | "plan";
  children?: Child;
}) => <span class={`badge ${tone}`}>{children}</span>;
