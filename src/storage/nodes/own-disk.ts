import type { Db } from "../../../db/engine/open";
import * as inventory from "../../../db/storage/nodes/inventory";
import type { S3 } from "../s3/s3";

type Options = { db: Db; now: () => Date };

const trustedForMs = 10_000;
const minSamples = 3; // files: if there are fewer, someone may have removed each of them

/** Checks whether a node still has its disk: some of its files must be there. */
export function ownDisks({ db, now }: Options) {
  const seenAt = new Map<string, number>();

  /** @throws FilesMissing if none of them is there: new files would be stored on a different disk */
  async function confirm({ id }: { id: string }, s3: S3): Promise<void> {
    const samples = await inventory.sampleKeys(db, id);
    for (const key of samples)
      if (await s3.stat(key)) {
        seenAt.set(id, now().getTime());
        return;
      }
    if (samples.length >= minSamples) throw filesMissing();
  }

  return {
    confirm,
    /** The same, unless it was confirmed a moment ago. */
    confirmNow: async (node: { id: string }, s3: S3): Promise<void> => {
      if (Math.abs(now().getTime() - (seenAt.get(node.id) ?? -Infinity)) >= trustedForMs) await confirm(node, s3);
    },
  };
}

export type OwnDisks = ReturnType<typeof ownDisks>;

const filesMissing = () =>
  Object.assign(new Error("None of the files that were looked for is there"), {
    name: "S3Error",
    code: "FilesMissing",
  });
