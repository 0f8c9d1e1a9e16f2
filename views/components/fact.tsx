import type { Child } from "../jsx/jsx-runtime";

/** A name and its value in a list of facts. */
export const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);
