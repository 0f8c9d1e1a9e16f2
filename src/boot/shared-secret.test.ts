import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import { loadConfig } from "../platform/config";
import { checkSharedSecret, useSharedSecret } from "./shared-secret";

const [first, second, third] = ["a", "b", "c"].map((letter) => letter.repeat(32));
const env = { DATABASE_URL: "postgres://postroom@db.example/postroom" };

test("all processes on a shared database have the same APP_SECRET, or one that replaces it", async () => {
  const db = { ...(await openDb(":memory:")), isShared: true };
  const deps = (APP_SECRET = "", APP_SECRET_PREVIOUS = "") => ({
    db,
    config: loadConfig({ ...env, APP_SECRET, APP_SECRET_PREVIOUS }),
  });
  const start = (...secrets: Parameters<typeof deps>) => useSharedSecret(deps(...secrets));
  const command = (...secrets: Parameters<typeof deps>) => checkSharedSecret(deps(...secrets));
  await command(third); // none has served yet: a command does not decide it
  await start(first);
  await start(first);
  await expect(start(second)).rejects.toThrow("another APP_SECRET");
  await expect(command(second)).rejects.toThrow("another APP_SECRET");
  await command(second, first);
  await start(first); // a command does not replace it
  await start(second, `${third},${first}`);
  await start(second);
  await command(second);
  await expect(command(first)).rejects.toThrow("another APP_SECRET");
  await expect(start(first)).rejects.toThrow("another APP_SECRET");
});
