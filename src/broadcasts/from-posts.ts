import {
  confirmDigest,
  dropDigest,
  type DueDigest,
  endDigest,
  leaveDigestAsDraft,
  postsOf,
  writeDigest,
} from "../../db/broadcasts/from-posts/digests";
import { confirmDue, type Due, endDue, leaveAsDraft } from "../../db/broadcasts/from-posts/due";
import { isTooLate } from "../../db/broadcasts/from-posts/rules";
import { maxSubject } from "../../db/broadcasts/rules";
import type { Db } from "../../db/engine/open";
import { shortened } from "../../db/lib/text";
import type { Post } from "../../db/schema/posts";
import { postUrlOf } from "../../db/posts/rules";
import type { Translator } from "../../views/languages/translator";
import { readPostUrl } from "../content/post-url";
import { siteTranslator } from "../http/site-language";
import type { Config } from "../platform/config";
import { prepareBroadcast } from "./freeze";
import type { Check } from "./letter/checks";

/* Writes the letters of posts that a rule sends by itself, alone or in a weekly digest, and schedules them. */

type Needs = { config: Config; db: Db; /** Who is told what was not sent. */ notify: string | undefined };

/** They speak of the installation, not of this letter: whoever made the rule has accepted them. */
const accepted = new Set(["simulated", "postal-address", "webhook-secret", "test"]);

const isFailed = ({ kind, code }: Check) => kind === "block" || !accepted.has(code);

/** Schedules one of them, or leaves it to the managers, as a draft. */
export async function scheduleDue({ config, db, notify }: Needs, due: Due, now: Date): Promise<void> {
  const { broadcastId, dueAt } = due;
  if (broadcastId === null) return void (await endDue(db, due));
  const at = dueAt && dueAt > now ? dueAt : now;
  if (dueAt && isTooLate(dueAt, now)) return leaveAsDraft(db, due, { reason: "late", detail: "", notify }, now);
  const prepared = await prepareBroadcast({ config, db }, broadcastId, { at }, now);
  const [failed] = prepared.checks.filter(isFailed);
  if (failed) return leaveAsDraft(db, due, { reason: "checks", detail: failed.sentence, notify }, now);
  if (prepared.outcome === "ready") await confirmDue(db, due, prepared.confirming, now);
  else if (isOutOfHands(prepared)) await endDue(db, due);
}

type Unprepared = Exclude<Awaited<ReturnType<typeof prepareBroadcast>>, { outcome: "ready" }>;

/** Whether a manager has confirmed or deleted it. Otherwise it was edited just now, and is tried again. */
const isOutOfHands = (prepared: Unprepared): boolean =>
  prepared.outcome === "gone" ||
  (prepared.outcome === "conflict" && (prepared.broadcast.state !== "draft" || prepared.broadcast.deletedAt !== null));

/** Schedules a weekly digest, or leaves it to the managers, as a draft. Without posts, nothing is sent. */
export async function scheduleDigest({ config, db, notify }: Needs, digest: DueDigest, now: Date): Promise<void> {
  const { broadcastId, dueAt } = digest;
  if (broadcastId === null) return void (await endDigest(db, digest));
  const written = await postsOf(db, digest, now);
  if (!written.length) return dropDigest(db, digest, now);
  const { postUrl } = await readPostUrl({ config, db });
  const words = digestOf(written, postUrl, await siteTranslator(db));
  const outcome = await writeDigest(db, digest, words, now);
  if (outcome === "over") return;
  if (outcome === "theirs") return void (await endDigest(db, digest));
  const { version } = outcome; // a manager, or another process with newer posts, may write it meanwhile
  if (isTooLate(dueAt, now)) return leaveDigestAsDraft(db, digest, { reason: "late", detail: "", notify }, now);
  const prepared = await prepareBroadcast({ config, db }, broadcastId, { at: dueAt > now ? dueAt : now, version }, now);
  const [failed] = prepared.checks.filter(isFailed);
  if (failed) return leaveDigestAsDraft(db, digest, { reason: "checks", detail: failed.sentence, notify }, now);
  if (prepared.outcome === "ready") await confirmDigest(db, digest, { confirming: prepared.confirming, written }, now);
}

type Words = Parameters<typeof writeDigest>[2];
type Part = Pick<Post, "title" | "excerpt" | "slug">;

/** Writes a digest: each post has its title, which leads to it, and its excerpt. */
export function digestOf(posts: Part[], postUrl: string, t: Translator): Words {
  const [first, ...others] = posts.map(({ title }) => title);
  const title = first ?? "";
  const count = others.length;
  const subject = count ? t("digest.subject", { title: shortened(title, 100), count }) : shortened(title, maxSubject);
  const preheader = shortened(count ? others.join(" · ") : inOneLine(posts[0]?.excerpt ?? ""), maxSubject);
  return { subject, preheader, content: posts.map((post) => partOf(post, postUrl)).join("\n\n") };
}

function partOf({ title, excerpt, slug }: Part, postUrl: string): string {
  const url = postUrlOf(postUrl, slug).replace(/[()\s\\]/g, percentEncoded);
  const text = asText(excerpt);
  return `## [${asText(title)}](${url})${text && `\n\n${text}`}`;
}

const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

const inOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Writes a text in MDX that shows exactly it, whatever marks it has. */
const asText = (text: string): string =>
  inOneLine(text)
    .replace(/[\\`*_{}[\]<>#&~|!$^]/g, String.raw`\$&`)
    .replace(/^[-+=]/, String.raw`\$&`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`);
