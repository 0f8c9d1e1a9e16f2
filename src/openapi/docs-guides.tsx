import { join } from "node:path";
import { Article, CodeBlock, type Sample, Samples } from "../../views/docs/endpoint";
import { type Child, raw } from "../../views/jsx/jsx-runtime";
import { toMarkdown } from "./docs-markdown";

/** A guide: a file of Markdown whose sections are the articles of a page. */
export type Guide = { slug: string; title: string; lead: string; sections: GuideSection[]; markdown: string };
type GuideSection = { id: string; title: string; text: string };

type Source = { slug: string; file: string; lead: string };

const own = (slug: string, lead: string): Source => ({ slug, file: `src/openapi/guides/${slug}.md`, lead });

/** The guides in the order of their contents. Those in docs/ are read beside the code, too. */
const sources: Source[] = [
  own("forms", "A newsletter form and a contact form, in HTML, from a script or from your server."),
  own("blog", "Posts on a site of yours: lists, pages, Markdown, pictures, moved posts and feeds."),
  own("previews", "Drafts on your own site, as they will look when they are published."),
  own("caching", "What to keep, for how long, and how to learn that something changed."),
  own("visitors", "Views, limits and duplicates of those for whom a server calls."),
  own("keys", "Scopes, networks, an end date, and a new key in the place of an old one."),
  { slug: "client", file: "docs/client.md", lead: "Every endpoint from TypeScript, with types, retries and a cache." },
  { slug: "uploading", file: "docs/uploads.md", lead: "Files of any size, directly to storage, and the files by key." },
];

/** Where the documents in docs/ are on these pages; what has no page stays a name. */
const pages: Record<string, string> = {
  "client.md": "/docs/client",
  "uploads.md": "/docs/uploading",
  "operations.md#visitors-of-a-server-rendered-site": "/docs/visitors",
};

/** Reads the guides. @param baseUrl what `{baseUrl}` in them stands for */
export const readGuides = (baseUrl: string): Promise<Guide[]> =>
  Promise.all(
    sources.map(async ({ slug, file, lead }) => {
      const text = await Bun.file(join(import.meta.dir, "../..", file)).text();
      const [, title = "", body = ""] = /^# (.*)\n([^]*)/.exec(text) ?? [];
      const linked = body
        .replaceAll("{baseUrl}", baseUrl)
        .replace(/\[([^\]]*)\]\((?![/h])([^)]*)\)/g, (_, name, target) =>
          pages[target] ? `[${name}](${pages[target]})` : name,
        );
      const markdown = linked.replace(/\]\((\/docs[^)]*)\)/g, (_, path) => `](${toMarkdown(path)})`);
      return { slug, title, lead, sections: sectionsOf(linked), markdown: `# ${title}\n\n${lead}\n${markdown}` };
    }),
  );

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
  if (typeof part === "string") return raw(Bun.markdown.html(part).replaceAll("<th></th>", "<td></td>"));
  return part.length > 1 ? <Samples id={id} samples={part} /> : <CodeBlock code={part[0]?.code ?? ""} />;
}
