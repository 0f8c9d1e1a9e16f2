import type { Db } from "../../../db/engine/open";
import type { Config } from "../../platform/config";
import { openStorage } from "../../storage";
import { createLog } from "../../platform/log";
import { actor } from "../command";

export type Data = { config: Config; db: Db; now: Date };
export const by = { actor };

export const storageOf = (data: Data) => openStorage({ ...data, log: createLog("silent"), now: () => new Date() });

/** Returns the node with this ID or name. @throws if there is none */
export async function nodeOf(data: Data, idOrName: string) {
  const node = await storageOf(data).nodes.find(idOrName);
  if (!node) throw new Error(`No storage node called ${idOrName}.`);
  return node;
}
