import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readJson, writeJson } from "./files";

export type Keys = { accessKey: string; secretKey: string };

/** The node's own credentials: random, generated once, readable by this user only. */
export async function keysIn(folder: string): Promise<Keys> {
  const file = join(folder, "keys.json");
  const known = await readJson<Keys>(file);
  if (known) return known;
  const keys = { accessKey: randomBytes(10).toString("hex"), secretKey: randomBytes(32).toString("base64url") };
  await writeJson(file, keys);
  return keys;
}
