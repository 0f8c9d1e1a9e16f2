import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { startService } from "../../support/processes";
import { cliService, rows } from "./service";

const email = "zebulon.quux@example.com";

test("a person is exported, erased, not restored by an older backup, and not imported again", async () => {
  using at = cliService();
  const list = at.file("list.csv", `email,name\n${email},Zebulon\nbada@example.com,Bada\n`);
  const importing = () => at.run("subscribers", "import", list, "--consent=Signed up at the fair");
  await importing();
  const older = at.file("older.sqlite");
  await at.run("backup", older);

  const exported = at.file("person.json");
  expect((await at.run("people", "export", email, exported)).code).toBe(0);
  expect(JSON.parse(readFileSync(exported, "utf8"))).toMatchObject({
    ...{ format: "postroom-person/2", address: email, messages: [] },
    subscription: { email, name: "Zebulon", consent: "Signed up at the fair" },
    events: [{ kind: "imported", via: "import" }],
  });

  expect((await at.run("people", "erase", email)).err).toContain("Add --yes");
  expect((await at.run("people", "erase", email, "--yes", `--reason=${email} asked`)).err).toContain(
    "Leave the address out",
  );
  const erased = await at.run("people", "erase", email, "--yes", "--reason=Asked by phone");
  expect(erased.err).toBe("");
  expect(Object.fromEntries(rows(erased.out))).toMatchObject({ subscriptions: "1", "found in the database file": "0" });

  expect((await at.run("suppressions", "list")).out).toMatch(/^erased address [0-9a-f]{8}\terased\t/);
  const suppressed = at.file("suppressed.csv");
  await at.run("suppressions", "export", suppressed);
  expect(readFileSync(suppressed, "utf8")).toBe("email,reason,detail,since\r\n");

  const database = join(at.dataDir, "postroom.sqlite");
  const isThere = (file: string) => existsSync(file) && readFileSync(file).includes(email);
  const isAnywhere = () => [database, `${database}-wal`].some(isThere);
  expect([isAnywhere(), isThere(older)]).toEqual([false, true]);
  const restored = await at.run("restore", older);
  expect(restored.err).toBe("");
  expect(rows(restored.out)).toContainEqual(["erased people again", "1"]);
  expect([isAnywhere(), readFileSync(database).includes("bada@example.com")]).toEqual([false, true]);
  using sqlite = new Database(database, { readonly: true });
  expect(sqlite.query("SELECT id FROM erasures WHERE checked_at IS NULL").all()).toEqual([]); // the service need not rewrite it again
  expect(rows((await importing()).out)).toContainEqual(["erased", "1"]);

  copyFileSync(older, database); // restored by hand
  const service = await startService(at.dataDir);
  await service.end();
  expect(rows((await importing()).out)).toContainEqual(["erased", "1"]);
});

test("a backup made after an erasure is restored as it is, and the service reads it", async () => {
  using at = cliService();
  const list = at.file("list.csv", `email\n${email}\nbada@example.com\n`);
  await at.run("subscribers", "import", list, "--consent=Signed up at the fair");
  await at.run("people", "erase", email, "--yes");
  const newer = at.file("newer.sqlite");
  await at.run("backup", newer);
  const restored = await at.run("restore", newer);
  expect([restored.code, restored.err]).toEqual([0, ""]);
  expect(rows(restored.out)).not.toContainEqual(["erased people again", "1"]);
  expect(readdirSync(at.dataDir).filter((name) => name.includes("restoring"))).toEqual([]);
  const exported = at.file("exported.csv");
  await at.run("subscribers", "export", exported);
  expect(readFileSync(exported, "utf8")).toContain("bada@example.com");
});
