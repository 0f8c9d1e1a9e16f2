import { dirname, join } from "node:path";
import { Article, CodeBlock, type Sample, Samples } from "../../views/docs/endpoint";
import { type Child, raw } from "../../views/jsx/jsx-runtime";
import { toMarkdown } from "./docs-markdown";

/** A guide: a file of Markdown whose sections are the articles of a page. */
export type Guide = {
  slug: string;
  group: Group;
  title: string;
  lead: string;
  sections: GuideSection[];
  markdown: string;
};
type GuideSection = { id: string; title: string; text: string };
type Group = "Guides" | "Run it";

type Source = Pick<Guide, "slug" | "group" | "lead"> & {
  file: string;
  /** The only section of the file that is a page. */
  only?: string;
};

const root = join(import.meta.dir, "../..");

const own = (slug: string, lead: string): Source => ({
  slug,
  group: "Guides",
  file: `src/openapi/guides/${slug}.md`,
  lead,
});
const guide = (slug: string, file: string, lead: string): Source => ({ slug, group: "Guides", file, lead });
const running = (slug: string, file: string, lead: string): Source => ({ slug, group: "Run it", file, lead });

/** The guides in the order of their contents. Those in docs/ are read beside the code, too. */
const sources: Source[] = [
  own("forms", "A newsletter form and a contact form, in HTML, from a script or from your server."),
  own("blog", "Posts on a site of yours: lists, pages, Markdown, pictures, moved posts and feeds."),
  own("subscribers-by-key", "Who is on the list: read, added, changed and erased by your own programs."),
  own("paging", "Long lists, page after page."),
  own("previews", "Drafts on your own site, as they will look when they are published."),
  own("caching", "What to keep, for how long, and how to learn that something changed."),
  own("visitors", "Views, limits and duplicates of those for whom a server calls."),
  own("keys", "Scopes, networks, an end date, and a new key in the place of an old one."),
  guide("client", "docs/client.md", "Every endpoint from TypeScript, with types, retries and a cache."),
  guide("uploading", "docs/uploads.md", "Files of any size, directly to storage, and the files by key."),
  own("page-uploads", "Files from a visitor’s browser, with a progress bar, by XMLHttpRequest."),
  guide("uppy", "docs/uppy.md", "Files from the pages of your site, in parts, with an upload that goes on."),
  guide("endpoints", "docs/webhooks.md", "Calls to your programs when something happens."),
  running("deploying", "docs/deploy/README.md", "Ways to run Postroom, and the executable."),
  { ...running("configuration", "README.md", "Every variable, and what it is without you."), only: "Configuration" },
  running("proxies", "docs/deploy/proxies.md", "Caddy, nginx or HAProxy in front."),
  running("systemd", "docs/deploy/systemd.md", "A service of a Linux server."),
  running("docker", "docs/deploy/docker.md", "The image, and Compose."),
  running("kubernetes", "docs/deploy/kubernetes.md", "A deployment, its probes and its volume."),
  running("fly", "docs/deploy/fly.md", "A machine with a volume at Fly."),
  running("operating", "docs/operations.md", "Backups, upgrades, alerts, storage nodes, keys and email."),
  running("scaling", "docs/growth.md", "A second machine that takes over, or PostgreSQL and any number of processes."),
  running("newsletters", "docs/newsletter.md", "Writing, sending, moving subscribers here, and bounces."),
  running("personal-data", "docs/people.md", "What is stored of a person, and how it is exported and erased."),
  running("changelog", "docs/CHANGELOG.md", "What operators notice, by release."),
];

type Page = Source & { title: string; body: string };

async function read(source: Source): Promise<Page> {
  const text = await Bun.file(join(root, source.file)).text();
  const [, title = "", body = ""] = /^# (.*)\n([^]*)/.exec(text) ?? [];
  const { only } = source;
  if (!only) return { ...source, title, body };
  const section = sectionsOf(body).find(({ title: each }) => each === only);
  return { ...source, title: only, body: `\n${section?.text.trim()}\n` };
}

/** Reads the guides. @param baseUrl what `{baseUrl}` and `https://postroom.example` in them stand for */
export async function readGuides(baseUrl: string): Promise<Guide[]> {
  const pages = await Promise.all(sources.map(read));
  return pages.map((page) => {
    const { slug, group, title, lead } = page;
    const body = linked(page, pages).replaceAll(/\{baseUrl\}|https:\/\/postroom\.example(?![.\w])/g, baseUrl);
    const markdown = body.replace(/\]\((\/docs[^)]*)\)/g, (_, path) => `](${toMarkdown(path)})`);
    return { slug, group, title, lead, sections: sectionsOf(body), markdown: `# ${title}\n\n${lead}\n${markdown}` };
  });
}

/** The text with its links to files as links to their pages. What has no page stays a name. */
function linked({ file, body }: Page, pages: Page[]): string {
  return body.replace(/\[([^\]]*)\]\((?!\/|https?:)([^)#]*)(?:#([^)]*))?\)/g, (_, name, path, anchor) => {
    const target = path ? join(dirname(file), path) : file;
    const page = pages.find((each) => each.file === target);
    if (!page) return name;
    const section = anchor && sectionWith(page.body, anchor);
    return `[${name}](/docs/${page.slug}${section ? `#${section}` : ""})`;
  });
}

/** The ID of the section that has this heading, which may be one of its parts. */
function sectionWith(body: string, anchor: string): string | undefined {
  const headings = (text: string) => [...text.matchAll(/^###? (.*)$/gm)].map(([, heading = ""]) => idOf(heading));
  return sectionsOf(body).find(({ id, text }) => id === anchor || headings(text).includes(anchor))?.id;
}

function sectionsOf(body: string): GuideSection[] {
  const [intro = "", ...parts] = body.split(/^## /m);
  const sections = parts.map((part) => {
    const [title = ""] = part.split("\n", 1);
    return { id: idOf(title), title, text: part.slice(title.length) };
  });
  return intro.trim() ? [{ id: "", title: "", text: intro }, ...sections] : sections;
}

const idOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** The sections as articles. Before the first heading there is no article. */
export const GuideView = ({ sections }: Pick<Guide, "sections">) => (
  <>
    {sections.map(({ id, title, text }) => {
      const parts = partsOf(text);
      const code = parts.filter((part) => typeof part !== "string");
      const [only] = code;
      if (!id) return <div class="prose">{parts.map((part) => view(part, "intro"))}</div>;
      if (!only || code.length > 1)
        return (
          <Article id={id} title={title}>
            {parts.map((part, at) => view(part, `${id}-${at}`))}
          </Article>
        );
      return (
        <Article id={id} title={title} beside={view(only, id)}>
          {parts.filter((part) => part !== only).map((part) => view(part, id))}
        </Article>
      );
    })}
  </>
);

/** Text, or the same example in several languages. */
type Part = string | Sample[];

const languages: Record<string, Sample["language"]> = {
  sh: "curl",
  ts: "TypeScript",
  html: "HTML",
  js: "TypeScript",
  python: "Python",
  go: "Go",
};

/** Blocks of code without a word between them are one example, if each is in a language of its own. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (const [at, piece] of text.split(/^```(\w*\n[^]*?)\n```$/m).entries()) {
    const last = parts.at(-1);
    if (at % 2 === 0) {
      if (piece.trim()) parts.push(piece);
      continue;
    }
    const [name = "", ...lines] = piece.split("\n");
    const sample = { language: languages[name] ?? "curl", code: lines.join("\n") };
    if (Array.isArray(last) && !last.some(({ language }) => language === sample.language)) last.push(sample);
    else parts.push([sample]);
  }
  return parts;
}

function view(part: Part, id: string): Child {
  if (typeof part === "string") return raw(htmlOf(part));
  return part.length > 1 ? <Samples id={id} samples={part} /> : <CodeBlock code={part[0]?.code ?? ""} />;
}

/** Code in a list scrolls sideways, too, and so has to be reached by keyboard; a head without words is no head. */
const htmlOf = (text: string) =>
  Bun.markdown.html(text).replaceAll("<pre>", '<pre tabindex="0">').replaceAll("<th></th>", "<td></td>");
