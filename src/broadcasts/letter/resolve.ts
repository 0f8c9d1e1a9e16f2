import type { Translator } from "../../../views/languages/translator";
import { isLinkField, type LetterNode, type MergeField } from "../../../views/newsletter/letter-tree";
import { isOwnFile, linkAddress, type Prose, proseOf } from "../../content/mdx/prose-tree";
import { type Dimensions, idsIn } from "../../../db/storage/pictures";
import {
  addField,
  mayBeEmpty,
  mentionsField,
  mergeFieldIn,
  noNames,
  type SiteNames,
  unknownField,
} from "./merge-fields";
import { type LetterProblem, Problems } from "./problems";
import { withoutMarks } from "../../content/mdx/mdx";

/** Where a text comes from, and where it will be read. */
type Surroundings = {
  t: Translator;
  /** BASE_URL, where files in Storage are. */
  siteUrl: string;
  /** The base of relative links: the post, or the blog. */
  base: string;
  /** Where components can be seen: the post's page. Pages of the archive show none. */
  componentsUrl?: string | undefined;
  browserUrl?: string | undefined;
  /** The site's fields and topics that it may name. */
  siteNames?: SiteNames | undefined;
  /** The sizes of pictures in Storage, by the IDs of their files. */
  pictures?: ReadonlyMap<string, Dimensions> | undefined;
};
type Piece = Extract<Prose, { tag: "mdx" }>;
type Component = Extract<Piece["piece"], { kind: "component" }>;

/** Elements that contain code, not text. */
const unread = new Set(["script", "style", "noscript", "template", "iframe", "object", "svg"]);

/**
 * Turns a text into what recipients get: MDX becomes the text in it, merge fields are recognised, URLs become absolute,
 * and what recipients will not see is recorded.
 */
class Resolver {
  readonly files = new Set<string>();
  private isInLink = false; // links cannot contain links

  constructor(
    private readonly surroundings: Surroundings,
    private readonly problems: Problems,
  ) {}

  all(nodes: Prose[]): LetterNode[] {
    const made: LetterNode[] = [];
    for (const node of nodes)
      for (const one of this.one(node))
        if (typeof one === "object" && "field" in one) addField(made, one);
        else if (typeof one === "string" && typeof made.at(-1) === "string") made[made.length - 1] += one;
        else made.push(one);
    return made;
  }

  private one(node: Prose): LetterNode[] {
    if (typeof node === "string") return [node];
    if (node.tag === "img") return this.image(node.src, node.alt);
    if (node.tag === "mdx") return this.piece(node);
    if (node.tag === "a") return this.link(node.href, node.children);
    const children = this.all(node.children);
    if (vanishing.has(node.tag) && isEmpty(children)) return [];
    if (node.tag === "li")
      return [{ tag: "li", ...(node.checked !== undefined && { checked: node.checked }), children }];
    if (node.tag === "th" || node.tag === "td")
      return [{ tag: node.tag, ...(node.align && { align: node.align }), children }];
    if (node.tag === "ol") return [{ tag: "ol", start: node.start, children }];
    return [{ tag: node.tag, children }];
  }

  private piece({ piece, isBlock, children }: Piece): LetterNode[] {
    if (piece.kind === "component") return this.component(piece, isBlock, children);
    const { t, siteNames = noNames } = this.surroundings;
    const fieldOrLink = piece.kind === "expression" ? mergeFieldIn(piece.source, t, siteNames) : undefined;
    if (!fieldOrLink)
      this.problems.unseen(piece, piece.kind === "expression" ? unknownField(piece.source, siteNames) : undefined);
    if (!fieldOrLink) return [];
    return "field" in fieldOrLink ? this.field(fieldOrLink.field) : this.browserLink();
  }

  private field(field: MergeField): LetterNode[] {
    if (field.field === "name" && !field.fallback) this.problems.report("no-fallback", "{name}");
    else if (field.field === "own" && mayBeEmpty(field)) this.problems.report("no-value", `{${field.key}}`);
    const isLink = isLinkField(field.field) || field.field === "topic_url";
    if (!this.isInLink || !isLink) return [field];
    this.problems.report(
      "field-in-address",
      field.field === "topic_url" ? `{topic "${field.topic}"}` : `{${field.field}}`,
    );
    return [];
  }

  private browserLink(): LetterNode[] {
    const { browserUrl } = this.surroundings;
    if (!browserUrl) this.problems.report("no-web-page", "{browser_url}");
    if (!browserUrl) return [];
    return this.isInLink ? [browserUrl] : [{ tag: "a", href: browserUrl, children: [browserUrl] }];
  }

  /** The text in a component. A few HTML elements mean the same as in Markdown. */
  private component(piece: Component, isBlock: boolean, children: Prose[]): LetterNode[] {
    const { name } = piece;
    if (name === "br" && !isBlock) return [{ tag: "br", children: [] }];
    if (name === "hr" && isBlock) return [{ tag: "hr", children: [] }];
    if (name === "img" && textOf(piece, "src")) {
      const image = this.image(textOf(piece, "src"), textOf(piece, "alt"));
      return isBlock ? [{ tag: "p", children: image }] : image;
    }
    if (name === "a" && textOf(piece, "href")) {
      const link = this.link(textOf(piece, "href"), lineOf(children));
      return isBlock && !isEmpty(link) ? [{ tag: "p", children: link }] : link;
    }
    const inside = unread.has(name.toLowerCase()) ? [] : this.all(children);
    if (!isEmpty(inside)) return inside;
    this.problems.unseen(piece);
    const { t, componentsUrl } = this.surroundings;
    if (!isBlock || !componentsUrl || unread.has(name.toLowerCase())) return [];
    const title = textOf(piece, "title").trim();
    const words = title ? t("email.namedOnTheWeb", { title: title.slice(0, 150) }) : t("email.onTheWeb");
    return [{ tag: "p", children: [{ tag: "a", href: componentsUrl, children: [words] }] }];
  }

  /** Nothing is added to a link: no one counts clicks. Other schemes than http, https, mailto and tel are refused. */
  private link(written: string, children: Prose[]): LetterNode[] {
    if (this.isInLink) return this.all(children);
    this.isInLink = true;
    const words = this.all(children);
    this.isInLink = false;
    const { base, componentsUrl } = this.surroundings;
    if (mentionsField(written, this.surroundings.siteNames ?? noNames))
      this.problems.report("field-in-address", written);
    else {
      const isHere = written.startsWith("#") && !componentsUrl; // an email has no places to jump to
      const href = isHere ? undefined : (this.storageUrl(written) ?? linkAddress(written, base));
      if (href) this.checkLink(written, href);
      if (href) return [{ tag: "a", href, children: words }];
      this.problems.report("refused-link", written);
    }
    return words;
  }

  private checkLink(written: string, href: string) {
    const { protocol, hostname } = new URL(href);
    const isWeb = protocol === "http:" || protocol === "https:";
    if (isWeb && isLocal(hostname)) this.problems.report("local-link", written, { what: href });
  }

  /** Pictures are files in Storage, or on another https host, which then learns who opens the email. */
  private image(src: string, alt: string): LetterNode[] {
    const { base } = this.surroundings;
    const stored = this.storageUrl(src);
    const url = stored ?? URL.parse(src, base)?.href;
    if (!stored) {
      const isKept =
        src !== "" && url?.startsWith("https:") && !mentionsField(src, this.surroundings.siteNames ?? noNames);
      this.problems.report(isKept ? "outside-image" : "refused-image", src || `![${alt}]()`);
      if (!isKept) return alt ? [`[${alt}]`] : [];
    }
    if (!alt.trim()) this.problems.report("no-alt", src, { needle: `![](${src}` });
    const dimensions = stored && this.surroundings.pictures?.get(idsIn(stored)[0] ?? "");
    return url ? [{ tag: "img", src: url, alt, ...dimensions }] : [];
  }

  /** Returns the full URL of a file in Storage, which may be written without its host. BASE_URL may have a path. */
  private storageUrl(address: string): string | undefined {
    const { siteUrl } = this.surroundings;
    const path = address.startsWith(`${siteUrl}/`) ? address.slice(siteUrl.length) : address;
    if (!isOwnFile(path)) return;
    this.files.add(path);
    return siteUrl + path;
  }
}

const inlineTags = new Set<string>(["a", "strong", "em", "del", "code", "br"]);

/** The same without blocks, for a link around some: emails and their apps support only inline links. */
const lineOf = (nodes: Prose[]): Prose[] =>
  nodes.flatMap((node): Prose[] => {
    if (typeof node === "string" || node.tag === "img") return [node];
    const children = lineOf(node.children);
    if (node.tag === "mdx") return [{ ...node, isBlock: false, children }];
    return inlineTags.has(node.tag) ? [{ ...node, children }] : [...children, " "];
  });

const isLocal = (host: string) =>
  (!host.includes(".") && !host.startsWith("[")) || /(^|\.)localhost$|^127\.|^\[::1\]$/.test(host);

const isEmpty = (nodes: LetterNode[]): boolean =>
  nodes.every((node) =>
    typeof node === "string" ? !node.trim() : "children" in node && !lone.has(node.tag) && isEmpty(node.children),
  );
/** Elements that are removed if they contained only MDX that no one sees. */
const vanishing = new Set<string>(["p", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"]);
const lone = new Set<string>(["br", "hr"]);

/** A property that is written as text. */
function textOf({ props }: Component, name: string): string {
  const value = props.find((prop) => prop.name === name)?.value ?? "";
  return value.startsWith("{") ? "" : value;
}

/** More than an email may have: a text that is cut here cannot be sent (`isCut`). */
const limits = { characters: 500_000, nodes: 100_000, boxes: 10_000 };

type Part = { nodes: LetterNode[]; problems: LetterProblem[]; files: string[]; isCut: boolean };

/** Reads one text of an email: what its recipients get, and what a manager should know about it. */
export function readPart(body: string, part: "text" | "post", surroundings: Surroundings): Part {
  const content = printable(body).replace(/\r\n?/g, "\n");
  const {
    nodes,
    problems: broken,
    isCut,
  } = proseOf(content, limits, (source) => mergeFieldIn(source, surroundings.t, surroundings.siteNames) !== undefined);
  const problems = new Problems(content, part);
  for (const problem of broken) problems.mdx(problem);
  const resolver = new Resolver(surroundings, problems);
  return { nodes: resolver.all(nodes), problems: problems.found, files: [...resolver.files], isCut };
}

/** Control characters are not valid anywhere in an email. */
const printable = (text: string) => text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g, "");

export const oneLine = (text: string) => withoutMarks(printable(text)).replace(/\s+/g, " ").trim();
