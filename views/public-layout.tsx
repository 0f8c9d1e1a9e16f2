import { type AssetName, asset } from "./assets";
import type { Child } from "./jsx/jsx-runtime";

type Props = {
  title: string;
  /** What search engines may do. Most pages for visitors are theirs alone. */
  robots?: string;
  /** Further elements of the head. */
  head?: Child;
  extras?: AssetName[];
  /** A column of text on the paper itself, instead of a sheet in the middle. */
  isColumn?: boolean;
  /** Dark on every screen, for a preview. */
  isNight?: boolean;
  children?: Child;
};

/** A page for visitors: one sheet of paper, system fonts, no script, nothing from anywhere else. */
export const PublicLayout = ({ title, robots = "noindex", head, extras = [], isColumn, isNight, children }: Props) => (
  <html lang="en" class={isNight ? "night" : undefined}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content={robots} />
      <title>{title}</title>
      {["public.css" as const, ...extras].map((name) => (
        <link rel="stylesheet" href={asset(name)} />
      ))}
      {head}
    </head>
    <body class={isColumn ? "column" : undefined}>
      <main class={isColumn ? "archive" : "letter"}>{children}</main>
    </body>
  </html>
);
