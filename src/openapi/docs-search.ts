import { pathOf, type PageInfo } from "../../views/docs/shell";
import type { Entry } from "../../views/docs/search";
import { decoded } from "./docs-markdown";

const maxTextLength = 100;
const maxShare = 0.03; // of all entries

/** The headings of a page as a search knows them, read from its HTML: the page itself, and each of its articles. */
export function entriesOf(page: PageInfo, html: string): Entry[] {
  const href = pathOf(page);
  const first = { href, title: page.title, page: page.group, text: page.lead, words: "" };
  return [
    first,
    ...[...html.matchAll(/<article id="([^"]+)"[^>]*>([^]*?)<\/article>/g)].map(([, id = "", article = ""]) => {
      const rest = article.replace(/<pre[^]*?<\/pre>|<ul class="statuses">[^]*?<\/ul>|<fieldset[^]*?<\/fieldset>/g, "");
      const [, heading = ""] = /<h2>([^]*?)<\/h2>/.exec(article) ?? [];
      const [, paragraph = ""] = /<p>([^]*?)<\/p>/.exec(rest) ?? [];
      const title = textOf(heading);
      const text = shortened(textOf(paragraph));
      return {
        href: `${href}#${id}`,
        title,
        page: page.title,
        text,
        words: page.slug === "changelog" ? "" : otherWords(textOf(rest), `${title} ${page.title} ${text}`),
      };
    }),
  ];
}

/** The text of our own HTML. */
const textOf = (html: string) =>
  decoded(html.replace(/<\/?(code|a)\b[^>]*>/g, "").replace(/<[^>]*>/g, " "))
    .replace(/\s+/g, " ")
    .trim();

const shortened = (text: string) =>
  text.length <= maxTextLength ? text : `${text.slice(0, text.lastIndexOf(" ", maxTextLength))} …`;

/** A word or path, without the punctuation around it. `^` keeps the time linear in the length of a run. */
const trimmed = /^[\d}.-]*([\p{L}_/{].+[\p{L}\d}])/u;

/** Each word once, without those that are told already, and numbers. In order, because that is smaller compressed. */
function otherWords(text: string, told: string): string {
  const runs = text.toLowerCase().match(/[\p{L}\d_/{}.-]+/gu) ?? [];
  const words = new Set(runs.flatMap((run) => trimmed.exec(run)?.[1] ?? []));
  return [...words]
    .filter((word) => !told.toLowerCase().includes(word))
    .sort()
    .join(" ");
}

/** Without words that are in so many entries that they tell none apart: who searches for one finds it in titles. */
export function withoutCommonWords(entries: Entry[]): Entry[] {
  const counts = new Map<string, number>();
  for (const { words } of entries) for (const word of words.split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isRare = (word: string) => (counts.get(word) ?? 0) < entries.length * maxShare;
  return entries.map((entry) => ({ ...entry, words: entry.words.split(" ").filter(isRare).join(" ") }));
}
