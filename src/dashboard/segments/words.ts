import { segmentOf, subjectsOf } from "../../../db/broadcasts/audience";
import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import type { Db } from "../../../db/engine/open";
import { conditionsOf, readSegment, type Segment } from "../../../db/newsletter/segments/definition";
import { allFields } from "../../../db/newsletter/fields";
import type { Field } from "../../../db/newsletter/field-values";
import { keysOfPeople } from "../../../db/newsletter/list";
import { listSequences } from "../../../db/sequences/sequences";
import { allTopics } from "../../../db/newsletter/topics";
import type { Reading } from "../../../views/components/time";
import { segmentSentence } from "../../../views/dashboard/segments/sentence";

/** Describes each of these segments; one that cannot be read is undefined. */
export async function sentencesOf(db: Db, segments: (Segment | undefined)[], reading: Reading): Promise<string[]> {
  const ids = segments.flatMap((segment) =>
    conditionsOf(segment ?? {}).flatMap((condition) => (condition.field === "broadcast" ? condition.of : [])),
  );
  const keyIds = segments.flatMap((segment) =>
    conditionsOf(segment ?? {}).flatMap((condition) => (condition.field === "key" ? condition.of : [])),
  );
  const keys = new Map(keyIds.length ? (await keysOfPeople(db, keyIds)).map(({ id, name }) => [id, name]) : []);
  const isNamed = segments.some((segment) => conditionsOf(segment ?? {}).some(({ field }) => field === "sequence"));
  const sequences = new Map(isNamed ? (await listSequences(db)).map(({ id, name }) => [id, name]) : []);
  const subjects = await subjectsOf(db, [...new Set(ids)]);
  const topics = new Map((await db.read(allTopics)).map(({ slug, name }) => [slug, name]));
  const fields = new Map((await db.read(allFields)).map((field) => [field.key, namesOf(field)]));
  const words = {
    reading,
    broadcastOf: (id: string) => subjects.get(id),
    keyOf: (id: string) => keys.get(id),
    sequenceOf: (id: string) => sequences.get(id),
    topicOf: (slug: string) => topics.get(slug),
    fieldOf: (key: string) => fields.get(key),
  };
  return segments.map((segment) => segmentSentence(segment, words));
}

const namesOf = ({ name, options }: Field) => ({
  name,
  options: new Map((options ?? []).map((option) => [option.id, option.name])),
});

/** Describes the audience of each of these broadcasts, as it was confirmed. */
export async function audienceWords(
  db: Db,
  list: Pick<Broadcast, "segment" | "frozenSegment" | "topicRow">[],
  reading: Reading,
): Promise<string[]> {
  const segments = await db.read((orm) =>
    Promise.all(list.map((each) => (each.frozenSegment ? readSegment(each.frozenSegment) : segmentOf(orm, each)))),
  );
  return sentencesOf(db, segments, reading);
}
