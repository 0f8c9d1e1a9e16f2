import type { Child } from "../jsx/jsx-runtime";

/** A label and its value in a list of facts. */
export const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);
