import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import { loadConfig } from "../config";
import { checkSharedSecret } from "./shared-secret";

const [first, second, third] = ["a", "b", "c"].map((letter) => letter.repeat(32));
const env = { DATABASE_URL: "postgres://postroom@db.example/postroom" };

test("all processes on a shared database have the same APP_SECRET, or one that replaces it", async () => {
  const db = { ...(await openDb(":memory:")), isShared: true };
  const start = (APP_SECRET = "", APP_SECRET_PREVIOUS = "") =>
    checkSharedSecret({ db, config: loadConfig({ ...env, APP_SECRET, APP_SECRET_PREVIOUS }) });
  await start(first);
  await start(first);
  await expect(start(second)).rejects.toThrow("another APP_SECRET");
  await start(second, `${third},${first}`);
  await start(second);
  await expect(start(first)).rejects.toThrow("another APP_SECRET");
});
