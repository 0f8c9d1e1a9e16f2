import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { freePort, postroom, programName, startService } from "../../support/processes";
import { api, cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

// ── Usage ────────────────────────────────────────────────────────────────────────────────────

const usages = [
  "serve",
  "manager",
  "keys",
  "nodes",
  "import",
  "settings",
  "subscribers",
  "broadcasts",
  "sequences",
  "backup",
  "restore",
  "demo",
];

test("--help names every command, on stdout, with exit 0", async () => {
  using at = cliService();
  const { code, out, err } = await at.run("--help");
  expect([code, err]).toEqual([0, ""]);
  for (const words of ["-h", "help"]) expect(await at.run(words)).toMatchObject({ code: 0, out, err: "" });
  for (const noun of usages) expect(out).toMatch(new RegExp(`^  ${noun}\\b`, "m"));
});

test("each command explains itself, and does nothing", async () => {
  using at = cliService();
  const answers = await Promise.all(usages.map((noun) => at.run(noun, "--help")));
  expect(answers.map(({ code, err }) => [code, err])).toEqual(usages.map(() => [0, ""]));
  expect(() => readdirSync(at.dataDir)).toThrow("ENOENT");
});

test.each([
  [[], "No command was given."],
  [["bake"], '"bake" is not a command.'],
  [["constructor"], '"constructor" is not a command.'],
  [["keys"], '"keys" is not a command.'],
  [["keys", "bake"], '"keys bake" is not a command.'],
  [["keys", "create"], "Missing: <name>."],
  [["keys", "create", "one", "two"], 'Not expected: "two". Text with spaces needs quotes.'],
  [["keys", "list", "--all"], "Unknown option '--all'."],
])("%j is no command: usage on stderr, then what is wrong, exit 2", async (words, problem) => {
  using at = cliService();
  const { code, out, err } = await at.run(...words);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toStartWith(`Usage: ${programName} <command>\n`);
  expect(err.split("\n").at(-2)).toStartWith(`postroom: ${problem}`);
});

test("--version is the command version", async () => {
  using at = cliService();
  expect(await at.run("--version")).toEqual(await at.run("version"));
});

test("a wrong variable is one line that names it", async () => {
  using at = cliService();
  const { code, err } = await postroom(at.dataDir, ["keys", "list"], { PORT: "none" });
  expect([code, err]).toEqual([1, "postroom: The configuration is not valid: PORT must be a port number\n"]);
});

// ── Keys, settings, managers, nodes ──────────────────────────────────────────────────────────

test("a key is created, listed and deactivated while the server runs, with immediate effect", async () => {
  using at = cliService();
  const service = await startService(at.dataDir);
  const { code, out, err } = await at.run("keys", "create", "build server");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^site_live_[0-9a-f]{32}\n$/);
  const key = out.trim();
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({ success: true });

  const [listed] = rows((await at.run("keys", "list")).out);
  expect(listed?.slice(1, 4)).toEqual(["build server", `site_live_…${key.slice(-4)}`, "active"]);
  const id = listed?.[0] ?? "";
  expect(rows((await at.run("keys", "deactivate", id)).out)).toEqual([[id, "build server", "inactive"]]);
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({
    error: { message: "Invalid or inactive API key" },
  });
  await service.end();
});

test("a key is limited in what it may do, from where and until when, and replaced by one with the same limits", async () => {
  using at = cliService();
  const service = await startService(at.dataDir);
  const limits = ["--scopes=settings:read,visitors", "--expires=2999-12-24", "--networks=127.0.0.1"];
  expect(await at.run("keys", "create", "site", ...limits)).toMatchObject({
    ...{ code: 1, out: "" },
    err: "postroom: --networks: These networks include a trusted proxy. Enter those of the servers that use the key.\n",
  });
  limits[2] = "--networks=192.0.2.0/24, 2001:db8::/48";
  const key = (await at.run("keys", "create", "site", ...limits.slice(0, 2))).out.trim();
  const bound = (await at.run("keys", "create", "bound", ...limits)).out.trim();
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({ success: true });
  expect(await api(service.url, "/api/v1/posts", key)).toMatchObject({ error: { code: "FORBIDDEN" } });
  expect(await api(service.url, "/api/v1/settings", bound)).toMatchObject({ error: { code: "UNAUTHORIZED" } });
  const listed = rows((await at.run("keys", "list")).out);
  const shown = ["settings:read,visitors", "192.0.2.0/24,2001:db8::/48", "2999-12-25T00:00:00.000Z"];
  expect(listed.map((row) => row.slice(6, 9))).toEqual([shown, shown.with(1, "–")]);

  const id = listed[1]?.[0] ?? "";
  const replacing = await at.run("keys", "replace", id, "--until=2998-01-01T00:00:00Z");
  expect([replacing.code, replacing.err]).toEqual([0, ""]);
  for (const each of [key, replacing.out.trim()])
    expect(await api(service.url, "/api/v1/settings", each)).toMatchObject({ success: true });
  const old = rows((await at.run("keys", "list")).out).find(([each]) => each === id);
  expect(old?.[8]).toBe("2998-01-01T00:00:00.000Z");
  expect(await at.run("keys", "replace", id)).toMatchObject({
    ...{ code: 1, out: "" },
    err: `postroom: No active API key with the id ${id}, or it was replaced already.\n`,
  });
  await service.end();
});

test.each([
  ["--scopes=files:delete", /^postroom: --scopes: Choose at least one of content:read, /],
  ["--scopes=", /^postroom: --scopes: Choose at least one of content:read, /],
  ["--expires=2020-01-01", /^postroom: --expires must be in the future\.\n$/],
  ["--expires=2999-02-30", /^postroom: --expires must be a day such as /],
  ["--expires=soon", /^postroom: --expires must be a day such as /],
  ["--networks=", /^postroom: --networks: Enter networks such as /],
  ["--networks=192.0.2.0/33", /^postroom: --networks: Enter networks such as /],
  [`--networks=${Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`).join()}`, /Enter at most 20 networks\.\n$/],
])("%s is one line on stderr, and makes no key", async (limit, err) => {
  using at = cliService();
  expect(await at.run("keys", "create", "site", limit)).toEqual({ code: 1, out: "", err: expect.stringMatching(err) });
  expect((await at.run("keys", "list")).out).toBe("");
});

test("a key that is not there and a name that is empty are one line on stderr, exit 1", async () => {
  using at = cliService();
  expect(await at.run("keys", "deactivate", "nobody")).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: No API key with the id nobody.\n",
  });
  expect(await at.run("keys", "create", " ")).toMatchObject({ code: 1, out: "" });
});

test("a setting is saved, and one that looks like a secret is rejected", async () => {
  using at = cliService();
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "test")).out.trim();
  expect(await at.run("settings", "set", "siteTitle", "Lamps")).toMatchObject({ code: 0, out: "siteTitle\tLamps\n" });
  expect(await at.run("settings", "set", "motd", "Hello", "--public")).toMatchObject({ code: 0 });
  expect(await at.run("settings", "set", "language", "de")).toMatchObject({ code: 0, out: "language\tde\n" });
  expect(await at.run("settings", "set", "language", "tlh")).toMatchObject({
    code: 1,
    err: "postroom: The key takes en, de, fr, es, pt or nl.\n",
  });
  expect(await at.run("settings", "set", "email", "ada@example.com, bo@example.com")).toMatchObject({
    code: 1,
    err: "postroom: Enter a valid email address.\n",
  });
  expect(await at.run("settings", "set", "internal", "quiet")).toMatchObject({ code: 0 });
  expect(await at.run("settings", "set", "stripeSecret", "x")).toMatchObject({
    ...{ code: 1, out: "" },
    err: expect.stringMatching(/^postroom: The key looks like a secret[^\n]*\n$/),
  });
  expect(await at.run("settings", "set", "newSubscribersPerHour", "250", "--public")).toMatchObject({ code: 0 });
  expect(await at.run("settings", "set", "newSubscribersPerHour", "many")).toMatchObject({
    code: 1,
    err: expect.stringContaining("takes a whole number from 0 to 10,000"),
  });
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({
    data: { count: 3, settings: { siteTitle: "Lamps", motd: "Hello", language: "de" } },
  });
  await service.end();
});

test("a manager gets a link that works once; only a manager can be reset", async () => {
  using at = cliService();
  const created = await at.run("manager", "create", "ada@example.com");
  expect([created.code, created.out]).toEqual([
    0,
    expect.stringMatching(/^http:\/\/localhost:3000\/dashboard\/setup\?token=[\w-]{43}\n$/),
  ]);
  expect(await at.run("manager", "reset", "ada@example.com")).toMatchObject({
    ...{ code: 1, out: "" },
    err: "postroom: No manager with the email address ada@example.com.\n",
  });
  expect(await at.run("manager", "create", "eve@example.com", "--role", "god")).toMatchObject({
    code: 1,
    err: "postroom: The role must be one of manager, editor, analyst, owner.\n",
  });
  expect((await at.run("manager", "create", "eve@example.com", "--role", "editor")).code).toBe(0);
  expect((await at.run("manager", "roles")).out.split("\n").map((line) => line.split("\t")[0])).toEqual([
    "manager",
    "editor",
    "analyst",
    "owner",
    "",
  ]);
  expect(await at.run("manager", "create", "not an address")).toMatchObject({ code: 1, out: "" });
});

test("a node is added with its secret from stdin, listed without it, and tested", async () => {
  using at = cliService();
  const options = ["--endpoint=http://127.0.0.1:1", "--bucket=parcels", "--access-key=minio", "--capacity=2GB"];
  const tried = await postroom(at.dataDir, ["nodes", "add", "attic", ...options], {}, "a-secret-key\n");
  expect([tried.code, tried.out]).toEqual([1, ""]);
  expect(tried.err).toContain("bucket: No server is listening at http://127.0.0.1:1 (ECONNREFUSED).");
  const command = "  curl -sS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:1\n";
  expect(tried.err).toContain(command);
  expect(tried.err).toEndWith(
    "postroom: attic failed the test (bucket: ECONNREFUSED) and was not added. Use --force to add it anyway.\n",
  );
  expect((await at.run("nodes", "list")).out).toBe("");
  const added = await postroom(at.dataDir, ["nodes", "add", "attic", ...options, "--force"], {}, "a-secret-key\n");
  expect([added.code, added.err]).toEqual([0, expect.stringContaining("No server is listening")]);
  const { out } = await at.run("nodes", "list");
  expect(rows(out)).toEqual([
    [
      expect.any(String),
      "attic",
      "active",
      "http://127.0.0.1:1",
      "parcels",
      "0",
      "0",
      "2000000000",
      "2000000000",
      "offline: bucket: ECONNREFUSED",
      "not reported",
    ],
  ] as never);
  expect(out).not.toContain("a-secret-key");
  const tested = await at.run("nodes", "test", "attic");
  expect([tested.code, tested.err]).toEqual([1, `bucket:\n${command}postroom: attic failed: bucket: ECONNREFUSED\n`]);
  expect(rows(tested.out)[0]).toEqual([
    ...[expect.any(String), "bucket", "ECONNREFUSED", expect.stringContaining("No server is listening")],
    expect.stringContaining("Start the server"),
  ] as never);
  expect(await postroom(at.dataDir, ["nodes", "add", "attic", ...options], {}, "x")).toMatchObject({
    err: "postroom: A storage node called attic already exists.\n",
  });

  using sqlite = new Database(join(at.dataDir, "postroom.sqlite"), { readonly: true });
  const maxPut = () => sqlite.query("select max_put_bytes from storage_nodes").values().flat();
  expect(maxPut()).toEqual([5 * 2 ** 30]);
  expect(await at.run("nodes", "edit", "attic", "--max-put=5TB")).toMatchObject({ code: 0, err: "" });
  expect(maxPut()).toEqual([5e12]);
  const edited = await postroom(at.dataDir, ["nodes", "edit", "attic", "--capacity=3GB", "--new-secret"], {}, "other");
  expect(maxPut()).toEqual([5e12]);
  expect([edited.code, edited.err]).toEqual([0, ""]);
  expect(rows((await at.run("nodes", "drain", "attic")).out)[0]?.slice(1)).toEqual(["attic", "draining"]);
  expect(rows((await at.run("nodes", "list")).out)[0]?.slice(1)).toEqual([
    ...[
      "attic",
      "draining",
      "http://127.0.0.1:1",
      "parcels",
      "0",
      "0",
      "3000000000",
      "3000000000",
      "offline: bucket: ECONNREFUSED",
      "not reported",
    ],
  ]);
  expect(rows((await at.run("nodes", "activate", "attic")).out)[0]?.slice(1)).toEqual(["attic", "active"]);
  expect(await at.run("nodes", "check")).toMatchObject({
    ...{ code: 1, out: "" },
    err: "postroom: attic is not responding: ECONNREFUSED\n",
  });
  expect(await at.run("nodes", "remove", "attic")).toMatchObject({ code: 0, err: "" });
  expect(await at.run("nodes", "remove", "attic")).toMatchObject({ err: "postroom: No storage node called attic.\n" });
});

test("commands do not care whether the server runs, or where", async () => {
  using at = cliService();
  expect(await postroom(at.dataDir, ["keys", "list"], { PORT: String(freePort()) })).toMatchObject({
    code: 0,
    out: "",
  });
});

test("a reader that has enough stops nothing: no complaint, and the work is done", async () => {
  using at = cliService();
  await at.run("keys", "create", "one");
  const command = `'${process.execPath}' src/boot/start.ts keys list | true; echo "\${PIPESTATUS[0]}"`;
  const child = Bun.spawn(["bash", "-c", command], { env: { ...process.env, DATA_DIR: at.dataDir }, stderr: "pipe" });
  expect([await child.stdout.text(), await child.stderr.text()]).toEqual(["0\n", ""]);
});
