import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { subjectsOf } from "../../../../db/broadcasts/audience/names";
import { readSegment } from "../../../../db/broadcasts/audience/segment";
import type { Db } from "../../../../db/engine/open";
import type { Reading } from "../../../../views/components/time";
import { segmentInWords } from "../../../../views/dashboard/broadcasts/audience";

/** Describes the audience of each of these broadcasts. */
export async function audienceWords(db: Db, list: Pick<Broadcast, "segment">[], reading: Reading): Promise<string[]> {
  const segments = list.map(({ segment }) => readSegment(segment));
  const subjects = await subjectsOf(db, [...new Set(segments.flatMap((segment) => segment?.without ?? []))]);
  return segments.map((segment) => segmentInWords(segment, { reading, subjectOf: (id) => subjects.get(id) }));
}
