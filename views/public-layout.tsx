import { asset } from "./assets";
import type { Child } from "./jsx/jsx-runtime";

/** A page for visitors: one sheet of paper, system fonts, no script, nothing from anywhere else. */
export const PublicLayout = ({ title, children }: { title: string; children?: Child }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{title}</title>
      <link rel="stylesheet" href={asset("public.css")} />
    </head>
    <body>
      <main class="letter">{children}</main>
    </body>
  </html>
);
