import { number, plural } from "../../../views/components/list";
import { areFew } from "../../storage/nodes/reconcile";
import { codeOf } from "../../storage/s3/errors";
import { type Command, complain, type Flags, print, withData } from "../command";
import { by, nodeOf, storageOf } from "./by-name";

/** @throws if the flag is given and not a number */
function numberIn(flag: Flags[string]): number | undefined {
  if (flag === undefined) return;
  if (typeof flag !== "string" || !/^\d{1,15}$/.test(flag)) throw new Error("--yes-lost must be a number of files.");
  return Number(flag);
}

export const check: Command = {
  usage: "nodes check [--node=NAME [--yes-lost=N]] [--repair]",
  about:
    "Compare the database with the nodes’ contents (id, kind, subject, expected, found, action); exits with 1 if they differ. If more than a tenth of the files are missing, they are removed only with --yes-lost and their number",
  options: { node: { type: "string" }, repair: { type: "boolean" }, "yes-lost": { type: "string" } },
  run: (_, { node: wanted, repair, "yes-lost": lost }) =>
    withData(async (data) => {
      const yesLost = numberIn(lost);
      if (yesLost !== undefined && typeof wanted !== "string")
        throw new Error("--yes-lost applies to one node. Name it with --node.");
      const { nodes } = storageOf(data);
      const chosen = typeof wanted === "string" ? [await nodeOf(data, wanted)] : await nodes.list();
      let isLeft = false;
      for (const { id, name } of chosen) {
        const seen = { matched: 0, bytes: 0, missing: 0 };
        const found = await Array.fromAsync(nodes.differences(id, seen, by, yesLost)).catch((error) => {
          throw new Error(`${name} is not responding: ${codeOf(error)}`);
        });
        for (const { kind, subject, expected, found: is, isRepaired, repair: mend } of found) {
          const isMended = isRepaired ?? (repair === true && (await mend()));
          isLeft ||= !isMended;
          print(id, kind, subject, expected, is, isMended ? "repaired" : "left");
        }
        if (repair && !areFew(seen) && yesLost !== seen.missing)
          complain(
            `${name}: ${number(seen.missing)} of ${number(seen.matched + seen.missing)} files are missing, so the disk may be lost or swapped. None of them was removed. Reconnect the disk, or, if they are permanently lost, use --yes-lost=${seen.missing}.`,
          );
        complain(
          `${name}: ${plural(seen.matched, "matching file")}, ${plural(seen.bytes, "byte")}, ${plural(found.length, "difference")}`,
        );
      }
      return isLeft ? 1 : 0;
    }),
};
