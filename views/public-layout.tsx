import { type AssetName, asset } from "./assets";
import type { Child } from "./jsx/jsx-runtime";
import type { Translator } from "./languages/translator";

type Props = {
  title: string;
  /** The attributes of its language; English unless visitors read another one. */
  root?: Translator["root"];
  /** What search engines may do. Most pages for visitors concern only one person. */
  robots?: string;
  /** Further elements of the head. */
  head?: Child;
  extras?: AssetName[];
  /** A column of text on the paper itself, instead of a sheet in the middle. */
  isColumn?: boolean;
  /** Dark or light on every screen, for a preview; else as the screen prefers. */
  isNight?: boolean | undefined;
  children?: Child;
};

const english = { lang: "en" };

/** The site's own colours. They follow a setting, so their URL has no hash. */
const brandStyles = "/assets/brand.css";

/** A page for visitors: one sheet of paper, system fonts, no scripts, nothing from elsewhere. */
export const PublicLayout = ({
  root = english,
  robots = "noindex",
  extras = [],
  isColumn,
  isNight,
  ...page
}: Props) => (
  <html {...root} class={isNight === undefined ? undefined : isNight ? "night" : "day"}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content={robots} />
      <title>{page.title}</title>
      <link rel="expect" href="#main" blocking="render" />
      {["public.css" as const, ...extras].map((name) => (
        <link rel="stylesheet" href={asset(name)} />
      ))}
      <link rel="stylesheet" href={brandStyles} />
      {page.head}
    </head>
    <body class={isColumn ? "column" : undefined}>
      <main id="main" class={isColumn ? "archive" : "letter"}>
        {page.children}
      </main>
    </body>
  </html>
);
