import { asset } from "../assets";
import type { Child } from "../jsx/jsx-runtime";

/** A heading of a page, which the contents link to. */
export type Heading = { id: string; label: Child };
export type PageInfo = {
  /** The last part of its path; empty for the start page. */
  slug: string;
  title: string;
  group: string;
  /** One sentence about the page. */
  lead: string;
  headings: Heading[];
};

type Props = {
  page: PageInfo;
  pages: PageInfo[];
  /** What was searched for. */
  query?: string;
  children?: Child;
};

export const pathOf = ({ slug }: Pick<PageInfo, "slug">) => (slug ? `/docs/${slug}` : "/docs");

/** The same page as Markdown. A search has none. */
const markdownPath = (page: PageInfo) => (page.group ? `${pathOf(page)}.md` : undefined);

/** A page of the documentation. Everything on it can be read without scripts, and nothing comes from elsewhere. */
export const DocsShell = ({ page, pages, query = "", children }: Props) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content={page.lead} />
      <title>{page.slug ? `${page.title} – Postroom API` : "Postroom API"}</title>
      {markdownPath(page) && <link rel="alternate" href={markdownPath(page)} type="text/markdown" />}
      <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={asset("docs.css")} />
      <script src={asset("docs.js")} defer></script>
    </head>
    <body>
      <header class="top">
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <a class="mark" href="/docs">
          Postroom <span>API</span>
        </a>
        <button class="menu" type="button" popovertarget="contents">
          Contents
        </button>
        <Search query={query} />
      </header>
      <nav id="contents" popover="auto" aria-label="Documentation">
        <Contents page={page} pages={pages} />
      </nav>
      <main id="content">
        <h1>{page.title}</h1>
        <p class="lead">{page.lead}</p>
        {children}
        <Neighbours page={page} pages={pages} />
      </main>
      <p id="status" class="unseen" role="status"></p>
    </body>
  </html>
);

/** Without a script, the matches are a page of their own. */
const Search = ({ query }: { query: string }) => (
  <form class="search" action="/docs/search" role="search">
    <label class="unseen" for="q">
      Search the documentation
    </label>
    <input id="q" name="q" type="search" value={query} placeholder="Search" autocomplete="off" />
    <ul id="matches" class="matches" hidden></ul>
  </form>
);

function Contents({ page, pages }: Pick<Props, "page" | "pages">) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <>
          <p class="group">{group}</p>
          <ul>
            {pages
              .filter((each) => each.group === group)
              .map((each) => (
                <li>
                  <a href={pathOf(each)} aria-current={each.slug === page.slug ? "page" : undefined}>
                    {each.title}
                  </a>
                  {each.slug === page.slug && each.slug && <Headings headings={each.headings} />}
                </li>
              ))}
          </ul>
        </>
      ))}
      <p class="group">Machine-readable</p>
      <ul>
        <li>
          <a href="/openapi.json">openapi.json</a>
        </li>
        <li>
          <a href="/llms.txt">llms.txt</a>
        </li>
        {markdownPath(page) && (
          <li>
            <a href={markdownPath(page)}>This page as Markdown</a>
          </li>
        )}
      </ul>
    </>
  );
}

function Headings({ headings }: { headings: Heading[] }) {
  if (!headings.length) return null;
  return (
    <ul>
      {headings.map(({ id, label }) => (
        <li>
          <a href={`#${id}`}>{label}</a>
        </li>
      ))}
    </ul>
  );
}

function Neighbours({ page, pages }: Pick<Props, "page" | "pages">) {
  const at = pages.findIndex(({ slug }) => slug === page.slug);
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  if (at < 0) return null;
  return (
    <nav class="neighbours" aria-label="Neighbouring pages">
      {previous && (
        <a href={pathOf(previous)} rel="prev">
          <span>Previous</span> {previous.title}
        </a>
      )}
      {next && (
        <a class="next" href={pathOf(next)} rel="next">
          <span>Next</span> {next.title}
        </a>
      )}
    </nav>
  );
}
