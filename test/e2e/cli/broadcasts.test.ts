import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { fakeProvider } from "../../support/mail";
import { postroom, startService } from "../../support/processes";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const second = 1_000;

test("a broadcast is written, tried out, sent, paused and looked at on the command line beside the server", async () => {
  using at = cliService();
  const provider = await fakeProvider();
  const env = { ...provider.env, OWNER_EMAIL: "owner@example.com", LOG_LEVEL: "error" };
  const run = (...args: string[]) => postroom(at.dataDir, ["broadcasts", ...args], env);
  const people = Array.from({ length: 30 }, (_, i) => `p${i}@example.com,,${i < 20 ? "blog" : "shop"}`);
  await at.run("subscribers", "import", at.file("list.csv", ["email,name,source", ...people].join("\n")));
  const service = await startService(at.dataDir, env);

  const file = at.file("news.md", "# News of November\n\nHello **there**.\n");
  const { out, err, code } = await run("create", file, '--segment={"anyOf":["blog"]}');
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^[\da-f-]{36}\n$/); // only the ID
  const id = out.trim();
  expect(rows((await run("list")).out)).toEqual([[id, "draft", "News of November", "0", "–"]]);

  expect(await run("test", id, "ada@example.com")).toMatchObject({ code: 0 });
  expect(await run("send", id)).toMatchObject({
    code: 1,
    err: "postroom: Sending cannot be undone. Add --yes to confirm.\n",
  });
  expect(await run("pause", id)).toMatchObject({
    ...{ code: 1, err: "postroom: Nothing was changed: the broadcast is draft.\n" },
  });
  expect(await run("send", id, "--yes", "--at=2020-01-01T00:00:00Z")).toMatchObject({ code: 1 });
  for (const at of ["tomorrow", "2027-02-30T09:00:00Z", "2027-99-99T09:00:00Z"])
    expect((await run("send", id, "--yes", `--at=${at}`)).err).toContain("--at must be a time with its zone");
  const sent = await run("send", id, "--yes");
  expect([sent.code, sent.out]).toEqual([0, `${id}\tscheduled\n`]);
  expect(sent.err).toContain("No postal address is set.");

  const show = async (id: string) => JSON.parse((await run("show", id, "--json")).out) as Record<string, unknown>;
  const reaches = async (id: string, state: string) => {
    const until = Date.now() + 120 * second;
    while ((await show(id)).state !== state) if (Date.now() > until) throw new Error(JSON.stringify(await show(id)));
    return show(id);
  };
  expect(await reaches(id, "sent")).toMatchObject({
    ...{ audience: 20, recipients: 20, accepted: 20, refused: 0, uncertain: 0, left: 0, waiting: 0, simulated: 0 },
    ...{ delivered: null, bounced: null, softBounced: null, complained: null, unreported: 20 }, // nothing was reported
    ...{ unsubscribed: 0, subject: "News of November" },
  });
  expect(rows((await run("show", id)).out)).toContainEqual(["accepted", "20"]);
  const letters = provider.delivered().filter(({ key }) => key.startsWith("b/"));
  expect(letters.map(({ to }) => to[0]).sort()).toEqual(
    people
      .slice(0, 20)
      .map((row) => row.split(",")[0] ?? "")
      .sort(),
  );
  expect(letters[0]).toMatchObject({
    ...{ subject: "News of November", reply_to: "owner@example.com" },
    headers: { "List-Id": expect.stringContaining("<newsletter.localhost>") as never },
  });
  expect(letters[0]?.text).toContain("Hello there.");

  const later = (await run("create", file, "--subject=Later")).out.trim();
  expect(await run("send", later, "--yes", `--at=${new Date(Date.now() + 3_600_000).toISOString()}`)).toMatchObject({
    code: 0,
  });
  expect(await run("cancel", later)).toMatchObject({ code: 0, out: `${later}\tcancelled\n` });
  expect(await run("cancel", later)).toMatchObject({ code: 1 });
  expect(await run("resume", later)).toMatchObject({ code: 1 });

  const outbox = () => provider.delivered().filter(({ key }) => !key.startsWith("b/"));
  for (const until = Date.now() + 120 * second; outbox().length < 2 && Date.now() < until;) await run("list");
  expect(
    outbox()
      .map(({ subject, to }) => [subject, to[0]])
      .sort(),
  ).toEqual([
    ["Sent: News of November", "owner@example.com"],
    ["[Test] News of November", "ada@example.com"],
  ]);
  await service.end();
  provider.stop();
});

test("what cannot be sent says why, and changes nothing", async () => {
  using at = cliService();
  const run = (...args: string[]) => at.run("broadcasts", ...args);
  const empty = (await run("create", at.file("empty.md", "# Nothing\n"))).out.trim();
  const { code, err } = await run("send", empty, "--yes");
  expect(code).toBe(1);
  for (const sentence of ["The text is empty.", "There are no recipients."]) expect(err).toContain(sentence);
  expect((await run("show", empty)).out).toContain("state\tdraft");
  const broken = (await run("create", at.file("broken.md", "# Broken\n\nOne.\n\nTwo <A\n"))).out.trim();
  const said = (await run("send", broken, "--yes")).err;
  expect(said).toMatch(/The text has an MDX error\.\n  In line 3 of the text: .*<A/);
  expect(await run("create", at.file("bare.md", "No heading"))).toMatchObject({ code: 1, out: "" });
  expect(await run("create", at.file("bare.md"), "--subject=S", "--segment={}x")).toMatchObject({ code: 1, out: "" });
  expect(await run("create", at.file("none.md"))).toMatchObject({ code: 1, out: "" });
  expect(await run("show", "nobody")).toMatchObject({
    code: 1,
    err: "postroom: No broadcast with the ID nobody.\n",
  });
});

test("a restored backup sends nothing by itself: what was scheduled or under way is paused", async () => {
  using at = cliService();
  const run = (...args: string[]) => at.run("broadcasts", ...args);
  await at.run("subscribers", "import", at.file("list.csv", "email\nada@example.com\n"));
  const [scheduled, draft] = [
    (await run("create", at.file("news.md", "# News\n\nHello"))).out.trim(),
    (await run("create", at.file("news.md"), "--subject=Draft")).out.trim(),
  ];
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  expect(await run("send", scheduled, "--yes", `--at=${inAnHour}`)).toMatchObject({ code: 0 });
  const file = at.file("copy.sqlite");
  expect(await at.run("backup", file)).toMatchObject({ code: 0 });
  expect((await at.run("restore", file)).out).toContain("paused broadcasts\t1\n");
  expect((await run("show", scheduled)).out).toContain("state\tpaused\nstateReason\trestored\n");
  expect((await run("show", draft)).out).toContain("state\tdraft\n");
  const said = "It comes from a backup, so some people may get it twice. Add --reviewed to resume.";
  expect(await run("resume", scheduled)).toMatchObject({
    code: 1,
    out: "",
    err: `postroom: Nothing was changed. ${said}\n`,
  });
  expect((await run("show", scheduled)).out).toContain("state\tpaused\n");
  expect(await run("resume", scheduled, "--reviewed")).toMatchObject({ code: 0, out: `${scheduled}\tsending\n` });
});

test("after too many bounces or complaints, resuming asks for a review first, as the dashboard does", async () => {
  using at = cliService();
  const run = (...args: string[]) => at.run("broadcasts", ...args);
  const id = (await run("create", at.file("news.md", "# News\n\nHello"))).out.trim();
  const pausedFor = (reason: string) => {
    using sqlite = new Database(join(at.dataDir, "postroom.sqlite"));
    sqlite.run("update broadcasts set state = 'paused', state_reason = ?, refused_bounces = 20, complained = 1", [
      reason,
    ]);
  };
  for (const [reason, said] of [
    ["bounces", "20 addresses do not exist: review them in the dashboard."],
    ["complaints", "1 recipient reported it as spam: review them in the dashboard."],
  ] as const) {
    pausedFor(reason);
    const err = `postroom: Nothing was changed. ${said} Add --reviewed to resume.\n`;
    expect(await run("resume", id)).toMatchObject({ code: 1, out: "", err });
    expect((await run("show", id)).out).toContain("state\tpaused\n");
  }
  expect(await run("resume", id, "--reviewed")).toMatchObject({ code: 0, out: `${id}\tsending\n` });
});

test("a text of 200,000 bytes is taken, and one of a byte more is not", async () => {
  using at = cliService();
  const file = (bytes: number) => at.file("long.md", "# News\n\n".padEnd(bytes, "Hello.\n"));
  expect(await at.run("broadcasts", "create", file(200_000))).toMatchObject({ code: 0 });
  expect((await at.run("broadcasts", "create", file(200_001))).err).toContain("is larger than 200 KB.");
});

test("an invalid segment, and a folder in place of a file, get an error message", async () => {
  using at = cliService();
  const file = at.file("news.md", "# News\n\nHello.\n");
  const create = async (...args: string[]) => (await postroom(at.dataDir, ["broadcasts", "create", ...args])).err;
  for (const segment of ["{", '{"any":["blog"]}', '{"anyOf":[]}'])
    expect(await create(file, `--segment=${segment}`)).toContain("The segment is not valid. Use conditions as JSON,");
  const unknown = JSON.stringify({ without: Bun.randomUUIDv7() });
  expect(await create(file, `--segment=${unknown}`)).toContain(
    "There is no broadcast or sequence with an ID in the segment.",
  );
  expect(await create(at.dataDir)).toContain(`File not found: ${at.dataDir}.`);
  for (const words of [["subscribers", "import"], ["suppressions", "import"], ["import", "projects"], ["restore"]])
    expect((await at.run(...words, at.dataDir)).err).toBe(`postroom: File not found: ${at.dataDir}.\n`);
});
