import { expect, test } from "bun:test";
import { checkDatabase } from "../../src/cli/doctor/machine";
import type { Tools } from "../../src/cli/doctor/finding";
import { look } from "../support/look";
import { testService } from "../support/service";

/** What the doctor says of a database that a service uses. */
async function examined(settings: string[], pool = "10") {
  const { config, db } = await testService();
  const [{ name } = { name: "" }] = await look<{ name: string }>(db, "select current_database() as name");
  for (const setting of settings) await look(db, `alter database ${name} set ${setting}`);
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${name}`;
  const tools: Tools = {
    now: () => new Date(),
    ask: () => Promise.reject(new Error("Nothing is asked.")),
    dns: { txt: async () => [], addresses: async () => [], names: async () => [] },
    ownAddresses: [],
    certificateEnd: () => Promise.reject(new Error("Nothing is asked.")),
  };
  const shared = { ...config, DATABASE_URL: url.href, DATABASE_POOL: Number(pool) };
  const found = await checkDatabase({ config: shared, tools, db: undefined });
  return found.filter(({ verdict }) => verdict === "wrong").map(({ text }) => text);
}

test("the doctor finds nothing wrong with a database that a service can use", async () => {
  expect(await examined([])).toEqual([]);
});

test("the doctor names a read-only database, and more connections than the server allows", async () => {
  expect(await examined(["default_transaction_read_only = on"])).toEqual([
    expect.stringContaining("The database is read-only."),
  ]);
  expect(await examined([], "999")).toEqual([expect.stringContaining("1 × 999 connections")]);
});

test("the doctor names a server that does not answer, and not the password in its URL", async () => {
  const { config } = await testService();
  const shared = { ...config, DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:1/x" };
  const [found] = await checkDatabase({ config: shared, db: undefined } as never);
  expect(found?.text).toContain("Check its address, name and password");
  expect(found?.text).not.toContain("hunter2");
});
