import { join } from "node:path";
import type { Db } from "../../db/engine/open";
import * as demo from "../../db/ops/demo";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { save as saveSettings } from "../../db/settings/edit";
import { readPost } from "../content/front-matter";
import { messages, people, unsubscribed } from "./messages";
import * as site from "./site";
import { addToDay } from "../../db/daily-counts";
import { dayOf } from "../../db/lib/time";

const day = 86_400_000;

/** Fills an empty database with a realistic site. Returns false, and does nothing, if it is not empty. */
export async function fillWithDemo(db: Db, now: Date): Promise<boolean> {
  if (!(await demo.isEmpty(db))) return false;
  const before = (days: number) => new Date(now.getTime() - Math.round(days * day));
  const author = site.settings.name;

  const values = Object.entries(site.settings).map(([key, value]) => ({ key, value }));
  await saveSettings(db, values, { actor: "demo" }, now);
  const clicked: Counted[] = [];
  for (const project of site.projects) {
    const age = 300 - 40 * project.displayOrder;
    const { id, clicks } = await projects.save(db, { ...project, author, createdAt: before(age) }, now);
    clicked.push({ id, age, total: clicks });
  }
  await countByDay(db, "click", clicked, now);
  await publish(db, before, now);
  await demo.fill(db, { people: past(before), demoMessages: messagesOf(before), owner: site.settings.email });
  return true;
}

async function publish(db: Db, before: (days: number) => Date, now: Date): Promise<void> {
  const viewed: Counted[] = [];
  for (const { file, daysAgo, views: seen } of site.posts) {
    const source = await Bun.file(join(import.meta.dir, "posts", `${file}.mdx`)).text();
    const isDraft = daysAgo === undefined;
    const post = { ...readPost(source, file), published: !isDraft, ...(!isDraft && { publishedAt: before(daysAgo) }) };
    const { id } = await posts.save(db, post, before(Math.max(daysAgo ?? 2, 1)));
    viewed.push({ id, age: daysAgo ?? 0, total: seen });
  }
  await db.write((orm) => posts.addViews(orm, new Map(viewed.map(({ id, total }) => [id, total]))));
  await countByDay(db, "view", viewed, now);
}

/** They joined over 30 days, most of them recently, at hours when people are awake. */
const past = (before: (days: number) => Date): demo.DemoSubscriber[] =>
  people.map(([name, email, source], index) => {
    const days = 30 * (1 - index / people.length) ** 1.3 + ((index * 7) % 10) / 24;
    const via = unsubscribed.get(index);
    return { name, email, source, cameAt: before(days), left: via && { at: before(days * 0.45), via } };
  });

const messagesOf = (before: (days: number) => Date): demo.DemoMessage[] =>
  messages.map(({ daysAgo, ...message }) => ({
    spamReason: null,
    ...message,
    at: before(daysAgo),
    readAt: daysAgo > 5 ? before(daysAgo - 0.2) : null,
  }));

/** The total since something was published, and how many days ago that was. */
type Counted = { id: string; age: number; total: number };

/** Spreads the totals over the days, so that the charts agree with them. */
const countByDay = (db: Db, kind: "view" | "click", counted: Counted[], now: Date) =>
  db.write(async (orm) => {
    for (let ago = Math.max(...counted.map(({ age }) => age)); ago >= 0; ago--) {
      const counts = counted.map((one) => [one.id, countOn(ago, one)] as const).filter(([, count]) => count > 0);
      await addToDay(orm, dayOf(now) - ago, { [kind]: new Map(counts) });
    }
  });

/** Most visits come soon after publishing. All days together have the total. */
function countOn(ago: number, { age, total }: Counted): number {
  const until = (left: number) => Math.round(total * Math.sqrt(Math.max(0, 1 - left / (age + 1))));
  return total && until(ago) - until(ago + 1);
}
