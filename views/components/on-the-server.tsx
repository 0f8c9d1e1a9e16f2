import type { Child } from "../jsx/jsx-runtime";

/** What only someone with access to the server can do: folded away, because most managers are not that person. */
export const OnTheServer = ({ children }: { children?: Child }) => (
  <details class="on-server">
    <summary>For the server’s administrator</summary>
    {children}
  </details>
);
