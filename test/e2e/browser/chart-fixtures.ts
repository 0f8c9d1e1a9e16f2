import { addToDay } from "../../../db/visits";
import { dayOf } from "../../../db/lib/time";
import { importAll } from "../../../db/newsletter/import";
import * as posts from "../../../db/posts/posts";
import type { Stage } from "../../support/broadcasts/stage";

const dayMs = 86_400_000;

/** Imports of two years and views of forty days. */
export async function addChartFixtures({ db, now }: Stage): Promise<Record<string, string>> {
  const ago = (days: number) => new Date(now().getTime() - days * dayMs);
  for (const [run, days] of [
    ["a", 500],
    ["b", 60],
  ] as const) {
    const people = Array.from({ length: 40 }, (_, i) => ({
      ...{ email: `${run}${i}@imported.example`, name: null, source: "Mailchimp", state: "active" as const },
      createdAt: ago(days + i),
    }));
    await importAll(db, people, { revive: false, origin: { via: "import" } }, ago(days));
  }
  const { id } = await posts.save(
    db,
    { slug: "counted", title: "Counted", published: true, publishedAt: ago(40) },
    now(),
  );
  for (let days = 40; days >= 0; days--)
    await db.write((orm) => addToDay(orm, dayOf(ago(days)), { view: new Map([[id, (days * 7) % 23]]) }));
  return {
    "overview of all time": "/dashboard?days=all",
    "views of posts": "/dashboard/posts/views",
    "views of a post": `/dashboard/posts/${id}/views?days=90`,
  };
}
