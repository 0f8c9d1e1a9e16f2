import { sourceSet } from "../../db/storage/picture-widths";
import { type Child, jsx } from "../jsx/jsx-runtime";
import { Icon } from "./icon";

/** A component of MDX, which Markdown does not have, is shown but not run: its name, its properties, its content. */
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

type OwnImageProps = { src: string; alt: string; dimensions: { width: number; height: number } | undefined };

/** A picture of ours, in the width that the browser shows. With its dimensions, nothing moves when it arrives. */
export function OwnImage({ src, alt, dimensions }: OwnImageProps) {
  if (!dimensions) return <img src={src} alt={alt} loading="lazy" />;
  const { width, height } = dimensions;
  const sources = { src: `${src}?w=1280`, srcset: sourceSet(src, width), sizes: "(max-width: 44rem) 100vw, 44rem" };
  return jsx("img", { ...sources, width, height, alt, loading: "lazy" });
}

/** A picture that the dashboard does not load: its description and URL. */
export const ImageBox = ({ alt, src }: { alt: string; src: string }) => (
  <span class="mdx">
    <span class="mdx-name">
      <Icon name="image" />
      {alt || "Picture without alternative text"}
    </span>{" "}
    <code>{src}</code>
  </span>
);

/** A link that no reader should follow. */
export const LinkBox = ({ href, children }: { href: string; children?: Child }) => (
  <span class="mdx">
    {children} <code>{href}</code>
  </span>
);
