import { join } from "node:path";
import { addReferrers, addToDay } from "../../db/visits";
import * as apiKeys from "../../db/access/keys/api-keys";
import { callerId, recordCalls } from "../../db/access/keys/callers";
import * as managers from "../../db/access/managers";
import { add as addSnippet } from "../../db/contact/snippets";
import type { Db } from "../../db/engine/open";
import { dayMs, dayOf } from "../../db/lib/time";
import * as demo from "../../db/ops/demo";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { save as saveSettings } from "../../db/settings/settings";
import { add as suppress } from "../../db/suppressions/suppressions";
import { readPost } from "../content/front-matter";
import { hashPassword } from "../security/password";
import { randomToken } from "../security/secrets";
import type { Config } from "../platform/config";
import type { Storage } from "../storage";
import { addAudience, addSegments, describePeople, firstDay, peopleOf, sampleTags } from "./audience";
import { addFiles } from "./files";
import { sentSamples, sequenceSamples } from "./mailings";
import { by, SampleSending } from "./sending";
import * as site from "./site";
import { addWebhooks } from "./webhooks";

type Needs = {
  config: Config;
  db: Db;
  /** Where files go. Without it, there are none. */
  storage?: Storage | undefined;
};
type Before = (days: number) => Date;

/**
 * Fills an empty database with a realistic site, whose past is really lived through: people come and leave, newsletters
 * and sequences are sent to nobody. Returns false, and does nothing, if it is not empty.
 */
export async function fillWithDemo({ config, db, storage }: Needs, now: Date): Promise<boolean> {
  if (!(await demo.isEmpty(db))) return false;
  await demo.mark(db);
  const before = (days: number) => new Date(now.getTime() - Math.round(days * dayMs));
  const { email, ...settings } = site.settings;
  await saveSettings(db, listOf(settings), { actor: "demo" }, before(firstDay));
  const pictures = storage ? await addFiles(db, storage, now) : new Map<string, string>();
  await addProjects(db, pictures, before);
  await publish(db, pictures, before);
  await addAudience(db, before(firstDay));
  await addSegments(db, before(firstDay / 2));
  const sending = new SampleSending({ config, db });
  await liveThrough(db, sending, before);
  await sending.prepare(before);
  for (const [place, address] of site.suppressed.entries())
    await suppress(db, { email: address, detail: "Asked by phone" }, { via: "manager", ...by }, before(9 + 12 * place));
  await addMessages(db, email, before);
  await addWebhooks({ config, db }, before);
  await addTeam(db, before);
  await addKeys(db, before);
  await saveSettings(db, listOf({ email }), { actor: "demo" }, before(firstDay));
  await demo.settleOutbox(db);
  return true;
}

const listOf = (settings: Record<string, string>) => Object.entries(settings).map(([key, value]) => ({ key, value }));

async function addProjects(db: Db, pictures: Map<string, string>, before: Before): Promise<void> {
  const clicked: Counted[] = [];
  for (const project of site.projects) {
    const age = 300 - 40 * project.displayOrder;
    const imageUrl = pictures.get(`projects/${project.slug}`) ?? project.imageUrl;
    const created = { ...project, imageUrl, author: site.settings.name, createdAt: before(age) };
    const { id, clicks } = await projects.save(db, created, before(age));
    clicked.push({ id, age, total: clicks });
  }
  await countByDay(db, "click", clicked, before);
}

async function publish(db: Db, pictures: Map<string, string>, before: Before): Promise<void> {
  const viewed: Counted[] = [];
  for (const { file, daysAgo, views, cover } of site.posts) {
    const source = await Bun.file(join(import.meta.dir, "posts", `${file}.mdx`)).text();
    const isDraft = daysAgo === undefined;
    const read = readPost(source, file);
    const coverImage = pictures.get(`covers/${cover}`) ?? read.coverImage;
    const date = !isDraft && { publishedAt: before(daysAgo) };
    const { id } = await posts.save(
      db,
      { ...read, ...(coverImage && { coverImage }), published: !isDraft, ...date },
      before(Math.max(daysAgo ?? 2, 1)),
    );
    viewed.push({ id, age: daysAgo ?? 0, total: views });
  }
  await db.write((orm) => posts.addViews(orm, new Map(viewed.map(({ id, total }) => [id, total]))));
  await countByDay(db, "view", viewed, before);
}

/** Day by day: who came, what was started and sent, and what was due. */
async function liveThrough(db: Db, sending: SampleSending, before: Before): Promise<void> {
  const people = peopleOf(before);
  const tags = await sampleTags(db, before(firstDay));
  let hasSequences = false;
  for (let days = firstDay + 1; days >= 0; days--) {
    const evening = before(days);
    const isOfDay = (one: { daysAgo: number }) => one.daysAgo >= days && one.daysAgo < days + 1;
    for (const sequence of sequenceSamples.filter(isOfDay)) {
      await sending.addSequence(sequence, before(sequence.daysAgo));
      hasSequences = true;
    }
    const came = people.filter(({ cameAt }) => cameAt > before(days + 1) && cameAt <= evening);
    await db.write(async (orm) => describePeople(orm, await demo.addSubscribers(orm, came, evening), tags));
    for (const sample of sentSamples.filter(isOfDay)) await sending.send(sample, before(sample.daysAgo));
    if (hasSequences) await sending.runAt(evening);
  }
}

async function addMessages(db: Db, owner: string, before: Before): Promise<void> {
  await db.write(async (orm) => {
    for (const { daysAgo, followed = [], snoozedFor, isDone = false, ...message } of site.messages)
      await demo.addMessage(
        orm,
        {
          spamReason: null,
          ...message,
          at: before(daysAgo),
          readAt: daysAgo > 5 || (followed.length > 0 && followed.at(-1)?.kind !== "answer") ? before(daysAgo) : null,
          snoozedUntil: snoozedFor ? before(-snoozedFor) : null,
          isDone,
          entries: followed.map(({ daysAgo: days, ...entry }) => ({ ...entry, at: before(days), by: by.actor })),
        },
        owner,
      );
  });
  for (const snippet of site.snippets) await addSnippet(db, snippet, by, before(40));
}

/**
 * Adds managers beside the one who is there. No one can sign in as them: their passwords were random, and are forgotten.
 * Where no one is there yet, the first manager has to become the owner, so there are none.
 */
export async function addTeam(db: Db, before: Before): Promise<void> {
  if (!(await managers.hasAny(db))) return;
  for (const { daysAgo, seenDaysAgo, ...person } of site.team) {
    const passwordHash = await hashPassword(randomToken());
    if (passwordHash)
      await demo.addManager(db, { ...person, passwordHash }, { at: before(daysAgo), seenAt: before(seenDaysAgo) });
  }
}

/** Adds keys that no one knows: each is forgotten here, and only its hash is stored. */
async function addKeys(db: Db, before: Before): Promise<void> {
  for (const { daysAgo, usedDaysAgo, endedDaysAgo, routes, ...wanted } of site.keys) {
    const { row } = await apiKeys.generate(db, { ...wanted, createdBy: by.actor }, before(daysAgo));
    const calls = routes.map((route, at) => {
      const caller = {
        keyId: row.id,
        network: "203.0.113.0/24",
        agent: "Bun/1.4",
        route,
        outcome: "accepted" as const,
      };
      return [callerId(caller), { ...caller, calls: 1, lastAt: before(usedDaysAgo + at / 10) }] as const;
    });
    await db.write(async (orm) => {
      await apiKeys.recordUses(orm, new Map([[row.id, before(usedDaysAgo)]]));
      await recordCalls(orm, new Map(calls));
    });
    if (endedDaysAgo !== undefined) await apiKeys.deactivate(db, row.id, by, before(endedDaysAgo));
  }
}

/** The total since something was published, and how many days ago that was. */
type Counted = { id: string; age: number; total: number };

/** Spreads the totals over the days, so that the charts agree with them. */
const countByDay = (db: Db, kind: "view" | "click", counted: Counted[], before: Before) =>
  db.write(async (orm) => {
    for (let ago = Math.max(...counted.map(({ age }) => age)); ago >= 0; ago--) {
      const counts = counted.map((one) => [one.id, countOn(ago, one)] as const).filter(([, count]) => count > 0);
      await addToDay(orm, dayOf(before(ago)), { [kind]: new Map(counts) });
      if (kind === "view") await addReferrers(orm, dayOf(before(ago)), new Map(counts.map(cameFrom)));
    }
  });

/** More than half of the views say where they came from; few say so of a small site. */
const cameFrom = ([id, count]: readonly [string, number]): [string, Map<string, number>] => [
  id,
  new Map(
    site.referrers.map(([host, share]) => [host, Math.round(count * share)] as const).filter(([, views]) => views > 0),
  ),
];

/** Most visits come soon after publishing. All days together have the total. */
function countOn(ago: number, { age, total }: Counted): number {
  const until = (left: number) => Math.round(total * Math.sqrt(Math.max(0, 1 - left / (age + 1))));
  return total && until(ago) - until(ago + 1);
}
