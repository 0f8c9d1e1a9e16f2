import { EndpointArticle, Method } from "../../views/docs/endpoint";
import { ErrorsGuide, LimitsGuide, QuickstartGuide, WebhooksGuide } from "../../views/docs/guides";
import { DocsShell, type Heading, type PageInfo, pathOf } from "../../views/docs/shell";
import { type Entry, SearchResults } from "../../views/docs/search";
import { type Section, StartPage } from "../../views/docs/start";
import { type Child, type JSX, render } from "../../views/jsx/jsx-runtime";
import { matching } from "../../views/docs/matching";
import { errorInfos } from "./docs-errors";
import { type Guide, GuideView, readGuides } from "./docs-guides";
import { limitGroups } from "./docs-limits";
import { markdownOf, toMarkdown } from "./docs-markdown";
import { type Quickstart, quickstarts } from "./docs-quickstarts";
import { entriesOf, withoutCommonWords } from "./docs-search";
import { verification } from "./docs-samples";
import { documentOf } from "../http/response";
import { tags } from "./prose";
import { eventsOf, reference, webhookHeaders } from "./reference";
import type { OpenApi } from "./responses";

const maxMatches = 50;

/** `markdown` is what the page is made of, if that is Markdown. */
type DocsPage = PageInfo & { view: () => Child; markdown?: string };
type Reference = { sections: Section[]; document: OpenApi };

/** The pages of the documentation, in the order of their contents. */
export class Docs {
  private readonly pages: DocsPage[];
  private entries: Promise<Entry[]> | undefined;

  private constructor(
    document: OpenApi,
    private readonly baseUrl: string,
    guides: Guide[],
  ) {
    const made = { sections: reference(document, tags), document };
    const first = quickstarts.map((quickstart) => quickstartPage(quickstart, baseUrl));
    const others = [
      ...first,
      ...guides.filter(({ group }) => group === "Guides").map(guidePage),
      errorsPage,
      limitsPage,
      ...endpointPages(made),
      webhooksPage(made),
      ...guides.filter(({ group }) => group === "Run it").map(guidePage),
    ];
    this.pages = [startPage(made, others), ...others];
  }

  /** Reads what the pages are made of. */
  static async read(document: OpenApi): Promise<Docs> {
    const baseUrl = document.servers[0]?.url ?? "";
    return new Docs(document, baseUrl, await readGuides(baseUrl));
  }

  /** Every heading, for searches. Made on first use; others are served between one page and the next. */
  index(): Promise<Entry[]> {
    return (this.entries ??= Promise.all(
      this.pages.map(async (page) => {
        await new Promise(setImmediate);
        return entriesOf(page, this.html(page.slug) ?? "");
      }),
    ).then((all) => withoutCommonWords(all.flat())));
  }

  /** Returns the page of what matches the query; of everything, if it is empty. */
  search(index: Entry[], query: string): JSX.Element {
    const entries = matching(index, query);
    return (
      <DocsShell page={searchPage} pages={this.pages} query={query}>
        <SearchResults query={query} entries={query ? entries.slice(0, maxMatches) : entries} />
      </DocsShell>
    );
  }

  /** Returns the page for a name that none has: what matches its words, or else the other pages. */
  missing(index: Entry[], name: string): JSX.Element {
    const query = name.replace(/[^\p{L}\d]+/gu, " ").trim();
    const entries = query ? matching(index, query).slice(0, maxMatches) : [];
    const pages = index.filter(({ href }) => !href.includes("#"));
    return (
      <DocsShell page={missingPage} pages={this.pages} query={query}>
        <SearchResults query={entries.length ? query : ""} entries={entries.length ? entries : pages} />
      </DocsShell>
    );
  }

  private page(slug: string): DocsPage | undefined {
    return this.pages.find((each) => each.slug === slug);
  }

  /** Returns a page as Markdown; undefined if there is none of this name. */
  markdown(slug: string): string | undefined {
    const page = this.page(slug);
    if (!page) return undefined;
    const { title, lead, markdown, view } = page;
    return markdown ?? `# ${title}\n\n${lead}\n\n${markdownOf(render(view()))}\n`;
  }

  /** Returns the list of all pages as language models look for it: https://llmstxt.org */
  list(): string {
    const line = (page: DocsPage) => `- [${page.title}](${this.baseUrl}${toMarkdown(pathOf(page))}): ${page.lead}`;
    const groups = [...Map.groupBy(this.pages, ({ group }) => group)];
    const [start] = this.pages;
    return [
      `# Postroom\n\n> ${start?.lead}`,
      ...groups.map(([group, pages]) => `## ${group}\n\n${pages.map(line).join("\n")}`),
      `## Machine-readable\n\n- [openapi.json](${this.baseUrl}/openapi.json): every operation and webhook, as OpenAPI 3.1.\n`,
    ].join("\n\n");
  }

  /** Returns the HTML of a page; undefined if there is none of this name. */
  html(slug: string): string | undefined {
    const page = this.page(slug);
    if (!page) return undefined;
    return documentOf(
      <DocsShell page={page} pages={this.pages}>
        {page.view()}
      </DocsShell>,
    );
  }
}

const searchPage: PageInfo = {
  slug: "search",
  title: "Search",
  group: "",
  lead: "Every page, endpoint, event, error code and limit.",
  headings: [],
};

const missingPage: PageInfo = {
  ...searchPage,
  title: "Page not found",
  lead: "The documentation has no page at this address. It may have moved: search for it, or choose from these.",
};

/** "Provider webhooks" is at /docs/provider-webhooks. */
const slugOf = (name: string) => name.toLowerCase().replaceAll(" ", "-");

const endpointPages = ({ sections }: Reference): DocsPage[] =>
  sections.map((section) => ({
    slug: slugOf(section.name),
    title: section.name,
    group: "API reference",
    lead: section.description,
    headings: section.endpoints.map(({ id, method, summary }) => ({
      id,
      label: (
        <>
          <Method name={method} /> <span>{summary}</span>
        </>
      ),
    })),
    view: () => section.endpoints.map((endpoint) => <EndpointArticle endpoint={endpoint} />),
  }));

function webhooksPage({ document }: Reference): DocsPage {
  const events = eventsOf(document);
  const headings: Heading[] = events.map(({ id, type }) => ({ id, label: type }));
  headings.unshift({ id: "verify", label: "Verifying a call" }, { id: "delivery", label: "Delivery" });
  return {
    slug: "webhooks",
    title: "Webhooks",
    group: "API reference",
    lead: tags.find(({ name }) => name === "Webhooks")?.description ?? "",
    headings,
    view: () => <WebhooksGuide headers={webhookHeaders(document)} events={events} verification={verification} />,
  };
}

function quickstartPage({ slug, title, lead, steps }: Quickstart, baseUrl: string): DocsPage {
  const filled = steps.map((step) => ({ ...step, code: step.code.replace("{baseUrl}", baseUrl).trimEnd() }));
  return {
    slug,
    title,
    group: "Quickstarts",
    lead,
    headings: steps.map(({ id, title: label }) => ({ id, label })),
    view: () => <QuickstartGuide steps={filled} />,
  };
}

const guidePage = ({ slug, group, title, lead, sections, markdown }: Guide): DocsPage => ({
  slug,
  title,
  group,
  lead,
  headings: sections.filter(({ id }) => id).map(({ id, title: label }) => ({ id, label })),
  view: () => <GuideView sections={sections} />,
  markdown,
});

const errorsPage: DocsPage = {
  slug: "errors",
  title: "Errors",
  group: "Guides",
  lead: "Every error code, what it means and what to do about it.",
  headings: errorInfos.map(({ code }) => ({ id: code, label: code })),
  view: () => <ErrorsGuide errors={errorInfos} />,
};

const limitsPage: DocsPage = {
  slug: "limits",
  title: "Limits",
  group: "Guides",
  lead: "How much and how often you may send.",
  headings: limitGroups.map(({ id, title }) => ({ id, label: title })),
  view: () => <LimitsGuide groups={limitGroups} />,
};

const startPage = ({ sections }: Reference, others: DocsPage[]): DocsPage => ({
  slug: "",
  title: "Overview",
  group: "Start",
  lead: "Newsletter, contact, content and uploads over HTTP. These pages and the OpenAPI 3.1 document are generated from the routes.",
  headings: [],
  view: () => (
    <StartPage
      pages={others}
      sections={sections.flatMap((section) => {
        const page = others.find(({ slug }) => slug === slugOf(section.name));
        return page ? [{ page, section }] : [];
      })}
      previousAnchor={(endpoint) => (previousAnchor(endpoint) === endpoint.id ? undefined : previousAnchor(endpoint))}
    />
  ),
});

/** Before operations had names: "postApiV1StorageUpload". Links to these anchors were shared. */
const previousAnchor = ({ method, path }: { method: string; path: string }) =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
