import type * as audit from "../audit";
import type { Db } from "../engine/open";
import { emit } from "../events/webhook-events";
import { rowsPerCommit } from "../lib/bulk";
import { changePeople } from "./change-people";
import { change, type SubscriberSelection } from "./list";
import { ensureTags, type TagNames, tagsNamed } from "./tags";
import { topicsNamed } from "./topics";

/** `language`: undefined leaves it as it is, null is the site's. Topics are named by their slugs. */
type Labels = TagNames & {
  language?: string | null | undefined;
  topics?: { add: string[]; remove: string[] } | undefined;
};

/**
 * Gives the selected subscribers tags and topics, takes them from them, and sets their language, whatever their status.
 * Returns how many changed, and the first of them.
 */
export async function relabel(
  db: Db,
  { selection, labels }: { selection: SubscriberSelection; labels: Labels },
  by: audit.Actor,
  now: Date,
) {
  const tags = await ensureTags(db, labels.add, now);
  const origin = { via: "manager" as const, actor: by.actor };
  let isMany = false; // a webhook call for each of a million people helps no one
  return change(db, { selection, verb: "change", by, now }, async (orm, people) => {
    const { add = [], remove = [] } = labels.topics ?? {};
    const parts = {
      tags: { add: tags, remove: await tagsNamed(orm, labels.remove) },
      topics: { add: await topicsNamed(orm, add), remove: await topicsNamed(orm, remove) },
      language: labels.language,
    };
    const wanted = people.map((person) => ({ person, ...parts }));
    isMany ||= people.length === rowsPerCommit;
    const { changed } = await changePeople(orm, wanted, { ...origin, isReported: !isMany }, now);
    const count = changed.size;
    if (isMany && count)
      await emit(orm, { type: "audience.changed", data: { id: Bun.randomUUIDv7(), via: origin.via, count } }, now);
    return people.filter(({ row }) => changed.has(row));
  });
}
