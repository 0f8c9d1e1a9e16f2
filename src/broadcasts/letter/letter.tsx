import { maxSubject } from "../../../db/broadcasts/rules";
import { shortened } from "../../../db/lib/text";
import { type Language, languages } from "../../../db/settings/rules";
import { BroadcastEmail, broadcastFooterText } from "../../../views/emails/broadcast";
import { EmailProse } from "../../../views/emails/letter-prose";
import type { Brand } from "../../../views/brand";
import { type Translator, translator } from "../../../views/languages/translator";
import type { LetterNode } from "../../../views/newsletter/letter-tree";
import { withoutMarks } from "../../content/mdx/mdx";
import {
  FieldMarks,
  fieldsIn,
  filled,
  mayBeEmpty,
  nobody,
  noNames,
  type SiteNames,
  type Segment,
  unknownIn,
} from "./merge-fields";
import { letterPictureWidth } from "../../../db/storage/picture-widths";
import type { Dimensions } from "../../../db/storage/pictures";
import { oneLine, readPart } from "./resolve";
import type { LetterProblem } from "./problems";
import { firstWords, plainText } from "./text";

/** Everything that a letter is made of. Nothing else is read, so that the same source always gives the same letter. */
export type LetterSource = {
  subject: string;
  preheader: string;
  /** The manager's own words, above the post if there is one. */
  content: string;
  /** The post that is sent, and where it can be read. */
  post?: { title: string; excerpt: string; content: string; url: string } | undefined;
  /** What the topic it goes to is called; undefined if it is for everyone. */
  topic?: string | undefined;
  /** The site's fields and topics, which its text may name. */
  siteNames?: SiteNames | undefined;
  /** The sizes of the pictures in Storage that it shows, by the IDs of their files. */
  pictures?: ReadonlyMap<string, Dimensions> | undefined;
  /** The day it is sent, for display. */
  date?: Date | undefined;
  /** Its page in the archive, or the post. Undefined if it has no page. */
  browserUrl?: string | undefined;
  site: {
    language: Language;
    title: string;
    /** The lines about the sender: a person's name, a postal address. */
    sender: string[];
    brand: Brand;
    /** Beside the date. */
    author: string;
    footerLine: string;
    readsReplies: boolean;
    /** BASE_URL and BLOG_URL */
    url: string;
    blogUrl: string;
  };
};

/** What is before and after a text that is the same in all languages. */
type Frame = { before: Segment[]; after: Segment[] };

/**
 * The frozen form of a broadcast (`broadcast_letters`): the shared text, with placeholders for each recipient's values.
 */
export type Letter = {
  subject: Segment[];
  html: Segment[];
  text: Segment[];
  /** Which segments are the broadcast's own text. */
  own: Record<"html" | "text", { from: number; to: number }>;
  /** What other languages have around it: all but the site's. */
  frames: Partial<Record<Language, Record<"html" | "text", Frame>>>;
  /** The text for the archive, shown by `LetterProse`. */
  page: LetterNode[];
  /** The keys of the site's fields in it: recipients' values of these are frozen with them. */
  keys: string[];
  /** The language of its text. */
  language: Language;
  /** Of the whole email, without recipients' values. */
  bytes: number;
};
/** A letter, and what a manager should know about it. `files`: paths in Storage that it shows or links to. */
export type WrittenLetter = Letter & {
  /** What an inbox shows after the subject. */
  preheader: Segment[];
  problems: LetterProblem[];
  files: string[];
  isCut: boolean;
};

/**
 * How a draft is previewed: its own pictures from where they are, and none from elsewhere, whose host would learn who
 * writes.
 */
export type Preview = { pictures: ReadonlyMap<string, string> };

/** Writes a letter once for everyone. Nothing in it depends on a recipient, the clock or the settings. */
export function letterOf(given: LetterSource, preview?: Preview): WrittenLetter {
  const source = preview ? { ...given, site: { ...given.site, brand: brandIn(given.site.brand, preview) } } : given;
  const { post, site, browserUrl } = source;
  const t = translator(site.language);
  const text = partOf(source, source.content, "text");
  const below = post && partOf(source, post.content, "post");
  const isTitled = post && (text.nodes.length > 0 || post.title !== source.subject);
  const title: LetterNode[] = isTitled ? [{ tag: "h2", children: [withoutMarks(post.title)] }] : [];
  const page = [...text.nodes, ...title, ...(below?.nodes ?? [])];
  const { logo } = given.site.brand;
  const files = [...new Set([...text.files, ...(below?.files ?? []), ...(logo ? [logo.path] : [])])];
  const lines = {
    subject: fieldsIn(oneLine(source.subject), t, browserUrl, source.siteNames),
    preheader: preheaderOf(source, t, page),
  };
  const rendered = {
    subject: lines.subject,
    ...rendersOf(source, lines, page, (src) => pictureOf(src, site.url, preview)),
  };
  return {
    ...rendered,
    preheader: lines.preheader,
    language: site.language,
    page,
    bytes: [rendered.subject, rendered.html, rendered.text].reduce((sum, part) => sum + bytesOf(part), 0),
    keys: keysIn([...rendered.subject, ...rendered.html, ...rendered.text]),
    problems: [...lineProblems(source, lines), ...text.problems, ...(below?.problems ?? [])],
    files,
    isCut: text.isCut || Boolean(below?.isCut),
  };
}

const keysIn = (segments: Segment[]) => [
  ...new Set(segments.flatMap((one) => (typeof one === "object" && one.field === "own" ? one.key : []))),
];

function partOf(
  { post, pictures, site, browserUrl, siteNames = noNames }: LetterSource,
  body: string,
  part: "text" | "post",
) {
  const url = part === "post" ? post?.url : undefined;
  const t = translator(site.language);
  const links = { siteUrl: site.url, base: url ?? site.blogUrl, componentsUrl: url, browserUrl };
  return readPart(body, part, { t, ...links, siteNames, pictures });
}

type Lines = { subject: Segment[]; preheader: Segment[] };

/**
 * The two parts of the email: rendered with marks for the merge fields, and split at the marks. The text is rendered
 * once, what is around it in each language.
 */
function rendersOf(
  source: LetterSource,
  lines: Lines,
  nodes: LetterNode[],
  pictureOf: (src: string) => string | undefined,
): Pick<Letter, "html" | "text" | "own" | "frames"> {
  const { language, brand } = source.site;
  const marks = new FieldMarks();
  const t = translator(language);
  const prose = <EmailProse t={t} brand={brand} nodes={nodes} mark={marks.mark} pictureOf={pictureOf} />;
  const body = {
    html: marks.segmentsOf(String(prose)),
    text: marks.segmentsOf(plainText(nodes, { t, mark: marks.mark })),
  };
  const others = languages.filter((other) => other !== language);
  const frames = others.map((other) => [other, frameOf(source, lines, marks, other)] as const);
  const frame = frameOf(source, lines, marks, language);
  const part = (of: "html" | "text") => [...frame[of].before, ...body[of], ...frame[of].after];
  const at = (of: "html" | "text") => ({
    from: frame[of].before.length,
    to: frame[of].before.length + body[of].length,
  });
  return {
    html: part("html"),
    text: part("text"),
    own: { html: at("html"), text: at("text") },
    frames: Object.fromEntries(frames),
  };
}

/** Stands in for the text while what is around it is rendered: a mark without a number, which no text may contain. */
const gap = "\uE000\uE001";

/** What is around the text in a language. */
function frameOf(
  { site, browserUrl, topic, date: day }: LetterSource,
  lines: Lines,
  marks: FieldMarks,
  language: Language,
) {
  const [t, written] = [translator(language), translator(site.language)];
  const shared = {
    t,
    siteTitle: withoutMarks(site.title),
    siteUrl: site.url,
    sender: site.sender.map(withoutMarks),
    browserUrl,
    ...footerLinks(marks, topic),
    subscribeUrl: `${site.url}/newsletter`,
    footerLine: withoutMarks(site.footerLine),
    readsReplies: site.readsReplies,
  };
  const [subject, preheader] = [marks.marked(lines.subject), marks.marked(lines.preheader)];
  const date = day && t.date(day, { day: "numeric", month: "long", year: "numeric" });
  const byline = [date, withoutMarks(site.author)].filter(Boolean).join(" · ");
  const view = {
    subject,
    preheader,
    date: byline,
    brand: site.brand,
    prose: gap,
    written: written === t ? undefined : written,
    ...shared,
  };
  const splitAtGap = (rendered: string): Frame => {
    const [before = "", after = ""] = rendered.split(gap);
    return { before: marks.segmentsOf(before), after: marks.segmentsOf(after) };
  };
  return {
    html: splitAtGap(`<!doctype html>${(<BroadcastEmail {...view} />)}\n`),
    text: splitAtGap([subject, gap, broadcastFooterText(shared)].join("\n\n")),
  };
}

const footerLinks = (marks: FieldMarks, topic: string | undefined) => ({
  unsubscribeUrl: marks.mark({ field: "unsubscribe_url", fallback: "" }),
  preferencesUrl: marks.mark({ field: "preferences_url", fallback: "" }),
  topic: topic
    ? { name: withoutMarks(topic), leaveUrl: marks.mark({ field: "leave_topic_url", fallback: "" }) }
    : undefined,
});

/**
 * Emails load every picture, ours in the width of their text, and no other address is changed; the preview of a draft
 * loads only its own.
 */
export function pictureOf(src: string, siteUrl: string, preview?: Preview): string | undefined {
  if (!preview) return src.startsWith(`${siteUrl}/media/`) ? `${src}?w=${letterPictureWidth}&as=jpeg` : src;
  return src.startsWith(`${siteUrl}/`) ? preview.pictures.get(src.slice(siteUrl.length)) : undefined;
}

/** The same for the site's logo. */
export function brandIn(brand: Brand, { pictures }: Preview): Brand {
  const src = brand.logo && pictures.get(brand.logo.path);
  return { ...brand, logo: brand.logo && src ? { ...brand.logo, src } : undefined };
}

function lineProblems(source: LetterSource, lines: Lines): LetterProblem[] {
  return (["subject", "preheader"] as const).flatMap((part): LetterProblem[] => {
    const bare = lines[part].filter((segment) => typeof segment === "object" && mayBeEmpty(segment));
    const keys = new Set(
      bare.map((segment) => (typeof segment === "object" && segment.field === "own" ? segment.key : "")),
    );
    return [
      ...[...keys].map((key) =>
        key
          ? { code: "no-value" as const, part, what: `{${key}}` }
          : { code: "no-fallback" as const, part, what: "{name}" },
      ),
      ...unknownIn(source[part], source.siteNames ?? noNames).map((what) => ({
        code: "unknown-in-line" as const,
        part,
        what,
      })),
    ];
  });
}

/** Email apps show it after the subject; without it, they show the beginning of the email. */
function preheaderOf(
  { preheader, post, browserUrl, siteNames }: LetterSource,
  t: Translator,
  page: LetterNode[],
): Segment[] {
  const written = oneLine(preheader);
  if (written) return fieldsIn(written, t, browserUrl, siteNames);
  const words = shortened(oneLine(post?.excerpt ?? ""), maxSubject) || firstWords(page);
  return words ? [words] : [];
}

/** The size of a text without recipients' values. */
export const bytesOf = (segments: Segment[]) => Buffer.byteLength(filled(segments, nobody));
