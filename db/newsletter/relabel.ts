import type * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { recordEvents, type Origin } from "../events/subscriber-events";
import { hasId } from "../lib/rows";
import { subscribers } from "../schema/newsletter";
import { change, type SubscriberSelection } from "./list";
import type { Subscriber } from "./subscribers";
import { changeTags, ensureTags, type TagNames, tagsNamed } from "./tags";

/** `language`: undefined leaves it as it is, null is the site's. */
type Labels = TagNames & { language?: string | null | undefined };

/**
 * Gives the selected subscribers tags, takes tags from them, and sets their language, whatever their status. Returns
 * how many changed, and the first of them.
 */
export async function relabel(
  db: Db,
  { selection, labels: { add: names, remove: unwanted, language } }: { selection: SubscriberSelection; labels: Labels },
  by: audit.Actor,
  now: Date,
) {
  const add = await ensureTags(db, names, now);
  const origin = { via: "manager" as const, actor: by.actor };
  return change(db, { selection, verb: "change", by, now }, async (orm, people) => {
    const remove = await tagsNamed(orm, unwanted);
    const tagged = await changeTags(
      orm,
      people.map((person) => ({ person, add, remove })),
      origin,
      now,
    );
    const spoken = language === undefined ? [] : people.filter((person) => person.language !== language);
    await setLanguage(orm, spoken, language ?? null, { origin, now });
    const rows = new Set([...tagged, ...spoken.map(({ row }) => row)]);
    return people.filter(({ row }) => rows.has(row));
  });
}

/** Sets the language of people who have another one. */
export async function setLanguage(
  orm: Orm,
  people: Pick<Subscriber, "id">[],
  language: string | null,
  { origin, now }: { origin: Origin; now: Date },
): Promise<void> {
  if (!people.length) return;
  const ids = people.map(({ id }) => id);
  await orm.update(subscribers).set({ language, updatedAt: now }).where(hasId(subscribers.id, ids)).run();
  await recordEvents(orm, { ids, kind: "changed" }, { ...origin, note: `language: ${language ?? "none"}` }, now);
}
