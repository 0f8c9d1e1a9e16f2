import type { Child } from "../jsx/jsx-runtime";
import { Icon } from "./icon";

/** What MDX knows and Markdown does not is shown, not run: its name, how it was called, what it holds. */
type BoxProps = { name: string; details?: string; isBlock: boolean; children?: Child };

export const Box = ({ name, details, isBlock, children }: BoxProps) =>
  isBlock ? (
    <div class="mdx">
      <p class="mdx-name">
        <Icon name="component" />
        {name} {details && <code>{details}</code>}
      </p>
      {children}
    </div>
  ) : (
    <span class="mdx">
      <span class="mdx-name">
        {name} {details && <code>{details}</code>}
      </span>{" "}
      {children}
    </span>
  );

/** An import, an export, an expression. */
export const CodeBox = ({ name, source, isBlock }: { name: string; source: string; isBlock: boolean }) =>
  isBlock ? (
    <div class="mdx">
      <p class="mdx-name">
        <Icon name="braces" />
        {name}
      </p>
      <pre>
        <code>{source}</code>
      </pre>
    </div>
  ) : (
    <code class="mdx">{source}</code>
  );

/** An image that the dashboard does not load: what it shows, and where it lies. */
export const ImageBox = ({ alt, src }: { alt: string; src: string }) => (
  <span class="mdx">
    <span class="mdx-name">
      <Icon name="image" />
      {alt || "Image without alternative text"}
    </span>{" "}
    <code>{src}</code>
  </span>
);

/** A link that leads nowhere a reader should go. */
export const LinkBox = ({ href, children }: { href: string; children?: Child }) => (
  <span class="mdx">
    {children} <code>{href}</code>
  </span>
);
