import { postUrlIn } from "../content/post-url";
import type { Db } from "../../db/engine/open";
import {
  type Broadcast,
  type BroadcastWithContent,
  type ChangeResult,
  withContent,
} from "../../db/broadcasts/broadcasts";
import { countAudience, draftAudience } from "../../db/broadcasts/audience";
import { ownerEmail } from "../../db/contact/owner";
import { allFields, withValues } from "../../db/newsletter/fields";
import { openTopics, topicWithRow } from "../../db/newsletter/topics";
import * as postEdits from "../../db/posts/edit";
import { isPublished, postUrlOf } from "../../db/posts/rules";
import { brandKeys, languageOf } from "../../db/settings/rules";
import * as settings from "../../db/settings/settings";
import * as files from "../../db/storage/files";
import { dimensionsIn } from "../../db/storage/pictures";
import { readBrand } from "../content/brand";
import type { Config } from "../platform/config";
import { addressOf, headerText, mailbox } from "../mail/headers";
import { configuredProvider } from "../mail/open";
import { archiveUrl, publicLine } from "./letter/text";
import { type Check, checksOf, type LetterFacts, passedOf } from "./letter/checks";
import { type Envelope, frozen as frozenLetter, valuesIn, writeEmails } from "./letter/emails";
import { letterOf, type LetterSource, type Preview, type WrittenLetter } from "./letter/letter";
import type { SiteNames } from "./letter/merge-fields";
import type { Actor } from "../../db/audit";
import { assignSlug, confirm, type Confirming } from "../../db/broadcasts/states";
import { siteTranslator } from "../http/site-language";
import type { Mail } from "../../db/mail/outbox";
import * as subscribers from "../../db/newsletter/subscribers";
import type { FrozenRecipient } from "../../db/schema/broadcasts";
import { type ComposedEmail, wholeOf } from "../mail/provider";
import { unsubscribeToken } from "../security/links";

type Needs = { config: Config; db: Db };
type Post = NonNullable<Awaited<ReturnType<typeof postEdits.byId>>>;

/** A draft as it would be sent now, with all checks that fail. */
type WrittenBroadcast = {
  written: WrittenLetter;
  checks: Check[];
  /** The checks that passed. */
  passed: string[];
  /** What `confirm` freezes. */
  frozen: ReturnType<typeof frozenLetter>;
  audience: number;
  postVersion: number | undefined;
};

/**
 * Writes the letter of a draft, counts its audience and checks both. Its slug must be final, because the letter may
 * contain the URL of its page (`assignSlug`). @param release when its post goes public with it
 */
export async function writeBroadcast(
  needs: Needs,
  broadcast: BroadcastWithContent,
  now: Date,
  release?: Date,
): Promise<WrittenBroadcast> {
  const { config, db } = needs;
  const { written, frozen, post, site } = await writeLetter(needs, broadcast, now, { release });
  const isStep = broadcast.kind === "step"; // its people come one by one
  const segment = isStep ? undefined : await draftAudience(db, broadcast, now);
  const audience = segment ? await countAudience(db, segment) : 0;
  const facts: LetterFacts = {
    provider: configuredProvider(config),
    siteUrl: config.BASE_URL,
    recipients: isStep ? undefined : audience,
    hasPostalAddress: Boolean(site.postalAddress),
    hasWebhookSecret: config.MAILER_WEBHOOK_SECRET.length > 0,
    wasTested: broadcast.testedVersion === broadcast.version,
    isOutdated: false,
    post:
      broadcast.kind === "post" ? { isPublished: post !== undefined && isPublished(post, release ?? now) } : undefined,
    archive: broadcast.archive,
    missingFiles: await missingFiles(db, written.files),
  };
  const [checks, passed] = [checksOf(written, facts), passedOf(written, facts)];
  return { written, checks, passed, frozen, audience, postVersion: post?.version };
}

type Writing = {
  /** How a draft is previewed. */
  preview?: Preview;
  /** When its post goes public with it. */
  release?: Date | undefined;
};

/** Writes the letter and everything around it, as it would be sent now. */
export async function writeLetter(
  needs: Needs,
  broadcast: BroadcastWithContent,
  now: Date,
  { preview, release }: Writing = {},
) {
  const { config, db } = needs;
  const site = await siteOf(needs);
  const stored = broadcast.postId ? await postEdits.byId(db, broadcast.postId) : undefined;
  const post = stored && release ? { ...stored, published: true, publishedAt: release } : stored;
  const topic = await topicOf(db, broadcast);
  const source = sourceOf(config, site, { broadcast, post }, release ?? now);
  const pictures = await dimensionsIn(db, `${broadcast.content} ${post?.content ?? ""}`);
  const written = letterOf({ ...source, topic: topic?.name, siteNames: await siteNames(db), pictures }, preview);
  const envelope = { ...(await envelopeOf(needs, site, broadcast)), topic: topic?.slug };
  return { written, frozen: frozenLetter(written, envelope), post, site };
}

/** Returns what texts may name besides the name. */
export const siteNames = (db: Db): Promise<SiteNames> =>
  db.read(async (orm) => ({
    fields: new Set((await allFields(orm)).map(({ key }) => key)),
    topics: new Map((await openTopics(orm)).map(({ slug, name }) => [slug, name])),
  }));

const topicOf = async (db: Db, { topicRow }: Broadcast) =>
  topicRow === null ? undefined : db.read((orm) => topicWithRow(orm, topicRow));

type Site = Awaited<ReturnType<typeof siteOf>>;

/** @param unsaved settings that are not saved yet, by key: for a preview */
export async function siteOf({ config, db }: Needs, unsaved: Record<string, string> = {}) {
  const saved = { ...(await settings.readForEmails(db)), ...unsaved };
  const { siteTitle = "", name = "", postalAddress = "", language } = saved;
  const title = headerText(siteTitle) || new URL(config.BASE_URL).host;
  return {
    language: languageOf(language),
    title,
    postalAddress,
    postUrl: postUrlIn(saved, config),
    sender: [name, postalAddress].filter((line) => line.trim()),
    brand: await readBrand({ config, db }, saved),
    author: saved[brandKeys.author] ?? "",
    footerLine: saved[brandKeys.footer] ?? "",
    readsReplies: saved[brandKeys.replies] !== "false",
    url: config.BASE_URL,
    blogUrl: config.BLOG_URL,
  };
}

/** Returns where it can be read: a published post on the blog, everything else in the archive. */
function urlOf(
  { BASE_URL, postUrl }: { BASE_URL: string; postUrl: string },
  broadcast: BroadcastWithContent,
  post: Post | undefined,
  now: Date,
): string | undefined {
  if (post && isPublished(post, now)) return postUrlOf(postUrl, post.slug);
  return broadcast.archive === "none" ? undefined : archiveUrl(BASE_URL, broadcast.slug);
}

function sourceOf(
  config: Config,
  site: Site,
  { broadcast, post }: { broadcast: BroadcastWithContent; post: Post | undefined },
  now: Date,
): LetterSource {
  const { subject, preheader, content } = broadcast;
  const browserUrl = urlOf({ BASE_URL: config.BASE_URL, postUrl: site.postUrl }, broadcast, post, now);
  const postSource = post && {
    title: post.title,
    excerpt: post.excerpt,
    content: post.content,
    url: postUrlOf(site.postUrl, post.slug),
  };
  return { subject, preheader, content, post: postSource, date: now, browserUrl, site };
}

/** Returns everything of an email except its text. */
async function envelopeOf(
  { config, db }: Needs,
  { title, readsReplies }: Site,
  broadcast: Broadcast,
): Promise<Envelope> {
  const { MAIL_FROM, BASE_URL } = config;
  const replyTo = readsReplies ? await ownerEmail({ config, db }) : undefined;
  return {
    from: (broadcast.fromName && mailbox(broadcast.fromName, addressOf(MAIL_FROM))) || MAIL_FROM,
    ...(replyTo && { replyTo }),
    siteTitle: title,
    siteUrl: BASE_URL,
    isListed: broadcast.archive === "listed",
  };
}

/** Returns the paths whose file is not in Storage, or is in its trash. */
async function missingFiles(db: Db, paths: string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const path of paths) {
    if (!(await files.findStored(db, path.split("/")[2] ?? ""))) missing.push(path);
  }
  return missing;
}

type Confirmation = {
  at: Date;
  by: Actor;
  /** The version that was shown; if absent, the current one. */
  version?: number;
};
/** The checks that failed. If one of them blocks, nothing was changed. */
type ConfirmResult = { checks: Check[] } & (ChangeResult | { outcome: "blocked" });

/** Writes the letter of a draft, and schedules it unless a check blocks that. */
export async function confirmBroadcast(
  needs: Needs,
  id: string,
  confirmation: Confirmation,
  now: Date,
): Promise<ConfirmResult> {
  const prepared = await prepareBroadcast(needs, id, confirmation, now);
  if (prepared.outcome !== "ready") return prepared;
  const { confirming, checks } = prepared;
  return { ...(await confirm(needs.db, confirming, confirmation.by, now)), checks };
}

type Preparation = Pick<Confirmation, "at" | "version"> & {
  /** When its post goes public with it. */
  release?: Date;
};
type PrepareResult =
  { outcome: "ready"; confirming: Confirming; checks: Check[] } | Exclude<ConfirmResult, { outcome: "changed" }>;

/** Writes the letter of a draft as it will be frozen, unless a check blocks that. */
export async function prepareBroadcast(
  needs: Needs,
  id: string,
  { at, version, release }: Preparation,
  now: Date,
): Promise<PrepareResult> {
  const t = await siteTranslator(needs.db);
  await assignSlug(needs.db, id, (subject) => publicLine(subject, t));
  const broadcast = await withContent(needs.db, id);
  if (!broadcast) return { outcome: "gone", checks: [] };
  if (broadcast.state !== "draft" || broadcast.deletedAt || (version ?? broadcast.version) !== broadcast.version)
    return { outcome: "conflict", broadcast, checks: [] };
  const { checks, frozen, audience, postVersion } = await writeBroadcast(needs, broadcast, now, release);
  if (checks.some(({ kind }) => kind === "block")) return { outcome: "blocked", checks };
  return { outcome: "ready", confirming: { seen: broadcast, to: { at, audience, frozen, postVersion } }, checks };
}

/**
 * The current text of a broadcast, for trying it out. Its links work for a subscriber; anyone else gets the token
 * "test", which does nothing.
 */
export async function testEmail(
  { config, db }: { config: Config; db: Db },
  mail: Mail,
): Promise<ComposedEmail | undefined> {
  const broadcast = await withContent(db, mail.subjectId ?? "");
  if (!broadcast) return;
  const { frozen } = await writeLetter({ config, db }, broadcast, mail.createdAt);
  const subscriber = await subscribers.byEmail(db, mail.recipient);
  const token = subscriber?.state === "active" ? unsubscribeToken(config, mail.recipient) : "test";
  const row = subscriber?.row ?? 0;
  const [person] = await db.read((orm) => withValues(orm, [{ row }], valuesIn(frozen.letter)));
  const language = subscriber?.language ?? null;
  const tester: FrozenRecipient = [0, mail.recipient, subscriber?.name ?? null, token, language];
  if (person?.own) tester.push(person.own);
  const [email] = writeEmails(frozen.letter, [tester], broadcast.id);
  if (!email) return;
  return { ...email, subject: `[Test] ${email.subject}`, html: wholeOf(email.html), text: wholeOf(email.text) };
}
