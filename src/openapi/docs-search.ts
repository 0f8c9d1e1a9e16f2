import { pathOf, type PageInfo } from "../../views/docs/shell";
import type { Entry } from "../../views/docs/search";
import { decoded } from "./docs-markdown";

const maxTextLength = 140;

/** The headings of a page as a search knows them, read from its HTML: the page itself, and each of its articles. */
export function entriesOf(page: PageInfo, html: string): Entry[] {
  const href = pathOf(page);
  const first = { href, title: page.title, page: page.group, text: page.lead, words: "" };
  return [
    first,
    ...[...html.matchAll(/<article id="([^"]+)">([^]*?)<\/article>/g)].map(([, id = "", article = ""]) => {
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
        words: otherWords(textOf(rest), `${title} ${text}`),
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

/** Each word once, without those that are told already. */
function otherWords(text: string, told: string): string {
  const words = new Set(text.toLowerCase().match(/[\p{L}\d_/{}.-]{3,}/gu));
  return [...words].filter((word) => !told.toLowerCase().includes(word)).join(" ");
}
