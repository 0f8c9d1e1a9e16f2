import { expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { postroom, startService, temporaryFolder } from "../../support/processes";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

// ── Subscribers ──────────────────────────────────────────────────────────────────────────────

const list = [
  "email,name,source,state,created_at,language,tags,topics,topics_left,paused_until,time_zone",
  "ada@example.com,Ada,blog,active,2026-01-02T03:04:05.000Z,es,VIP,,,,",
  "+cmd@example.com,'=1+1,,unsubscribed,2026-01-03T03:04:05.000Z,,,,,,",
  'grace@example.com,"Hopper, ""Amazing"" Grace",,active,2026-01-04T03:04:05.000Z,,"Press, ""Ships, boats""",,,,',
];

test("the list is exported and imported again unchanged, with formulas made harmless", async () => {
  using at = cliService();
  using other = cliService();
  const csv = at.file("list.csv", `${list.join("\r\n")}\r\n`);
  const imported = await at.run("subscribers", "import", csv, "--consent=Signed up on the old site");
  expect([imported.code, imported.err, rows(imported.out)[0]]).toEqual([0, "", ["new", "3"]]);

  const out = at.file("out.csv");
  expect(await at.run("subscribers", "export", out)).toEqual({ code: 0, out: "", err: "" });
  const exported = readFileSync(out, "utf8");
  expect(exported).toBe(`${list.join("\r\n").replace("+cmd", "'+cmd")}\r\n`);
  expect(await at.run("subscribers", "export", out)).toMatchObject({ code: 1 }); // never overwrites

  await other.run("subscribers", "import", out);
  await other.run("subscribers", "export", other.file("again.csv"));
  expect(readFileSync(other.file("again.csv"), "utf8")).toBe(exported);
});

test("an import reactivates no one unless it is told to, and names the lines it cannot use", async () => {
  using at = cliService();
  await at.run("subscribers", "import", at.file("old.csv", "email,state\nada@example.com,unsubscribed\n"));
  const csv = at.file(
    "new.csv",
    "\uFEFFName,EMAIL\nAda,ADA@example.com\nGrace,grace@example.com\nNobody,nowhere\nGrace again,grace@example.com\n",
  );
  const unsaid = "How these people agreed is kept as “not stated”. Say it with --consent.\n";
  const refusedFile = at.file("refused.csv");
  const first = await at.run("subscribers", "import", csv, `--refused=${refusedFile}`);
  expect([first.code, first.err]).toEqual([1, `${unsaid}line 4: email must be a valid email address\n`]);
  expect(readFileSync(refusedFile, "utf8")).toBe(
    'line,reason,original\r\n4,email must be a valid email address,"Nobody,nowhere"\r\n',
  );
  const counts = (out: string) => Object.fromEntries(rows(out));
  expect(counts(first.out)).toEqual({
    new: "1",
    "new, unsubscribed": "0",
    already: "1",
    unsubscribed: "0",
    "still unsubscribed": "1",
    revived: "0",
    erased: "0",
    "without a readable date": "0",
    "new tags": "0",
    "tags left out": "0",
    "new topics": "0",
    "topics left out": "0",
    "new fields": "0",
    "values left out": "0",
    "in a language that Postroom does not have": "0",
    invalid: "1",
    "never agreed": "0",
  });
  const second = await at.run("subscribers", "import", csv, "--revive");
  expect(counts(second.out)).toEqual({
    new: "0",
    "new, unsubscribed": "0",
    already: "2",
    unsubscribed: "0",
    "still unsubscribed": "0",
    revived: "1",
    erased: "0",
    "without a readable date": "0",
    "new tags": "0",
    "tags left out": "0",
    "new topics": "0",
    "topics left out": "0",
    "new fields": "0",
    "values left out": "0",
    "in a language that Postroom does not have": "0",
    invalid: "1",
    "never agreed": "0",
  });
  const short = await at.run("subscribers", "import", csv, "--consent=yes");
  expect([short.code, short.out, short.err]).toEqual([1, "", expect.stringContaining("in 10 to 300 characters")]);
  const bad = at.file("bad.csv", "name\nAda\n");
  expect(await at.run("subscribers", "import", bad, "--consent=Signed up at our fair")).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: The first line must name the columns and include email\n",
  });
});

// ── Backup ───────────────────────────────────────────────────────────────────────────────────

test("a backup made while the server runs contains everything acknowledged, and can be restored", async () => {
  using at = cliService();
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "kept")).out.trim();
  const file = at.file("backup.sqlite");
  const made = await at.run("backup", file);
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^\/.*backup\.sqlite\t\d+ bytes\n$/)]);
  expect(await at.run("backup", file)).toMatchObject({ code: 1, out: "" });
  expect(readFileSync(file).includes(key)).toBe(false);

  await at.run("keys", "create", "later");
  const refused = await at.run("restore", file);
  expect([refused.code, refused.err]).toEqual([
    1,
    "postroom: A server is already using this DATA_DIR. Stop it first, or set a different DATA_DIR.\n",
  ]);
  await service.end();

  expect(await at.run("restore", file)).toMatchObject({ code: 0, err: "" });
  expect(rows((await at.run("keys", "list")).out).map(([, name]) => name)).toEqual(["kept"]);
  expect(readdirSync(join(at.dataDir, "backups"))).toEqual([expect.stringMatching(/^before-restore-\d{8}T\d{6}Z/)]);
});

test("what is no backup is not restored, and the database stays", async () => {
  using at = cliService();
  await at.run("keys", "create", "kept");
  for (const file of [at.file("text.sqlite", "no database"), at.file("empty.sqlite", ""), at.file("absent.sqlite")])
    expect(await at.run("restore", file)).toMatchObject({ code: 1, out: "" });
  expect(rows((await at.run("keys", "list")).out)).toHaveLength(1);
});

test("what the command line exports is on record before it is written, even when that fails half-way (D40)", async () => {
  using at = cliService();
  await at.run("demo");
  const folder = at.file("posts");
  const [slug = ""] = (await at.run("export", "posts", folder)).out.split("\n");
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, `${slug}.mdx`), { recursive: true }); // no file can be written over it
  expect(await at.run("export", "posts", folder)).toMatchObject({ code: 1, out: "" });
  expect(await at.run("subscribers", "export", at.file("list.csv"))).toMatchObject({ code: 0 });
  using db = new Database(join(at.dataDir, "postroom.sqlite"), { readonly: true });
  const events = db.query<{ action: string }, []>("select action from audit_events where action like '%.export'").all();
  expect(events.map(({ action }) => action)).toEqual(["post.export", "post.export", "subscriber.export"]);
});

test("a database is copied to another DATA_DIR, verified table by table, unless one is there or it is in use", async () => {
  using from = temporaryFolder();
  using to = temporaryFolder();
  expect((await postroom(from.path, ["demo"])).code).toBe(0);
  const copied = await postroom("unused", ["db", "copy", from.path, to.path]);
  expect(copied.code).toBe(0);
  expect(copied.out).toMatch(/^subscribers\t402\t[0-9a-f]{64}$/m);
  expect(copied.err).toContain("same APP_SECRET");
  const again = await postroom("unused", ["db", "copy", from.path, to.path]);
  expect(again).toMatchObject({ code: 1, out: "" });
  const unknown = await postroom("unused", ["db", "copy", join(to.path, "nothing"), join(to.path, "x")]);
  expect(unknown.code).toBe(1);
  expect([existsSync(join(to.path, "nothing")), existsSync(join(to.path, "x"))]).toEqual([false, false]);
  const unset = await postroom("unused", ["db", "copy", "DATABASE_URL", join(to.path, "x")]);
  expect(unset.err).toContain("DATABASE_URL is not set");
  const misspelt = await postroom("unused", ["db", "copy", "postgress://ada:hunter2@db.example/x", to.path]);
  expect([misspelt.code, misspelt.err.includes("hunter2")]).toEqual([1, false]);
  const away = await postroom("unused", ["db", "copy", from.path, "postgres://ada:hunter2@127.0.0.1:1/x"]);
  expect([away.code, away.err]).toEqual([1, expect.stringContaining("Check its address, name and password") as never]);
});
