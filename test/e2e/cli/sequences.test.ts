import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { fakeProvider } from "../../support/mail";
import { postroom, startService } from "../../support/processes";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const second = 1_000;

const email = (subject: string, after: string, ...more: string[]) =>
  ["---", `subject: ${subject}`, `after: ${after}`, ...more, "---", "", 'Hello {name, "friend"}.'].join("\n");

test("a sequence is made of a folder, started, and sends to who subscribes, on the command line beside the server", async () => {
  using at = cliService();
  const provider = await fakeProvider();
  const env = { ...provider.env, LOG_LEVEL: "error" };
  const run = (...args: string[]) => postroom(at.dataDir, ["sequences", ...args], env);
  const folder = at.file("course");
  mkdirSync(folder);
  at.file("course/1.md", email("One", "0"));
  at.file("course/2.md", email("Two", "2 days", 'at: "09:00"', "preheader: The second"));
  const service = await startService(at.dataDir, env);

  const { out, err, code } = await run("create", folder, "--name=A course", "--trigger=subscribed");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^[\da-f-]{36}\n$/); // only the ID
  const id = out.trim();
  expect(rows((await run("list")).out)).toEqual([[id, "draft", "A course", "subscribed"]]);
  expect(await run("pause", id)).toMatchObject({
    code: 1,
    err: "postroom: Nothing was changed: the sequence is draft.\n",
  });
  const started = await run("start", id);
  expect([started.code, started.out]).toEqual([0, `${id}\ton\n`]);
  expect(started.err).toContain("“One”: No test email has been sent since the last change.");

  const subscribed = await fetch(`${service.url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com" }),
  });
  expect(subscribed.status).toBe(201);
  const show = async () => JSON.parse((await run("show", id, "--json")).out) as Record<string, unknown>;
  const until = Date.now() + 120 * second;
  const hasGotOne = async () => {
    const [first, next] = (await show()).emails as { sent: number; waiting: number }[];
    return first?.sent === 1 && next?.waiting === 1;
  };
  while (!(await hasGotOne())) if (Date.now() > until) throw new Error(JSON.stringify(await show()));
  expect(await show()).toMatchObject({
    ...{ id, name: "A course", state: "on", reason: null, trigger: "subscribed", segment: null },
    ...{ entered: 1, waiting: 1, held: 0, underWay: 0, done: 0, stopped: 0 },
    emails: [
      { subject: "One", afterHours: 0, at: null, sent: 1, waiting: 0, uncertain: 0, refused: 0 },
      { subject: "Two", afterHours: 48, at: "09:00", sent: 0, waiting: 1 },
    ],
  });
  const [letter] = provider.delivered().filter(({ key }) => key.startsWith("b/"));
  expect(letter).toMatchObject({ subject: "One", to: ["ada@example.com"] });
  expect(letter?.text).toContain("Hello friend.");
  expect(letter?.headers["List-Unsubscribe"]).toContain("/api/newsletter/unsubscribe?email=ada%40example.com");

  at.file("course/1.md", email("One, better", "0", "replaces: 1"));
  at.file("course/3.md", email("Three", "1 day"));
  expect((await run("edit", id, folder)).err).toBe("postroom: --people is keep or go-on.\n");
  const edited = await run("edit", id, folder, "--people=go-on");
  expect([edited.code, edited.out]).toEqual([0, `${id}\ton\n`]);
  const isMoved = async () => {
    const { edition, emails, waiting } = await show();
    const [first, next] = emails as { subject: string; waiting: number }[];
    return edition === 2 && waiting === 1 && first?.subject === "One, better" && next?.waiting === 1;
  };
  while (!(await isMoved())) if (Date.now() > until) throw new Error(JSON.stringify(await show()));
  at.file("course/3.md", email("Three", "1 day", "replaces: 7"));
  expect((await run("edit", id, folder, "--people=keep")).err).toContain("“replaces” names no email, or one twice.");

  expect((await run("pause", id)).out).toBe(`${id}\tpaused\n`);
  expect((await run("start", id)).out).toBe(`${id}\ton\n`);
  expect(await run("end", id)).toMatchObject({
    code: 1,
    err: "postroom: Ending cannot be undone. Add --yes to confirm.\n",
  });
  expect((await run("end", id, "--yes")).out).toBe(`${id}\toff\n`);
  expect(await show()).toMatchObject({ state: "off", waiting: 0, stopped: 1 });
  expect(rows((await postroom(at.dataDir, ["broadcasts", "list"], env)).out)).toEqual([]);
  await service.end();
  provider.stop();
});

test("a sequence with an email that is not valid is not created, and says which and why", async () => {
  using at = cliService();
  const folder = at.file("course");
  mkdirSync(folder);
  at.file("course/1.md", email("One", "0"));
  const create = async (...args: string[]) => (await at.run("sequences", "create", folder, ...args)).err;
  const names = ["--name=Course", "--trigger=subscribed"];
  expect(await create("--name=Course", "--trigger=tag")).toContain(
    "--trigger is subscribed, confirmed, tag:NAME or topic:SLUG.",
  );
  expect(await create("--trigger=subscribed")).toContain("--name");
  expect(await create("--name=Course", "--trigger=topic:none")).toContain("There is no topic with this slug.");
  expect(await create(...names, "--segment={")).toContain("The segment is not valid.");
  expect(await create(...names, "--again=30")).toContain("--again is for tag:NAME and topic:SLUG");
  expect(await create("--name=Course", "--trigger=tag:VIP", "--again=7")).toContain("--again is 30 to 3650 days.");
  for (const [text, words] of [
    ["Hello", "2.md: it does not start with front matter"],
    [email("Two", "soon"), "2.md: after must be a time such as 2 days, 36 hours or 0."],
    [email("Two", "36 hours", 'at: "09:00"'), "2.md: at needs whole days"],
    [email("Two", "1 day", "at: noon"), '2.md: at must be a time such as "09:00".'],
    [email("''", "1 day"), "2.md: subject"],
  ] as const) {
    at.file("course/2.md", text);
    expect(await create(...names)).toContain(words);
  }
  expect((await at.run("sequences", "list")).out).toBe("");
});

test("an edition with an email that cannot be sent changes nothing, and says what is wrong with it alone", async () => {
  using at = cliService();
  const folder = at.file("course");
  mkdirSync(folder);
  at.file("course/1.md", email("One", "0"));
  const id = (await at.run("sequences", "create", folder, "--name=Course", "--trigger=subscribed")).out.trim();
  await at.run("sequences", "start", id);
  at.file("course/2.md", email("Two", "1 day").replace(/Hello.*/, ""));
  const { code, out, err } = await at.run("sequences", "edit", id, folder, "--people=keep");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("Nothing was changed: “Two”: The text is empty.");
  expect(err).not.toContain("gone");
  const shown = await at.run("sequences", "show", id, "--json");
  expect(JSON.parse(shown.out)).toMatchObject({ state: "on", edition: 1 });
});

test("a sequence of a tag says after how many days someone begins it again", async () => {
  using at = cliService();
  const folder = at.file("course");
  mkdirSync(folder);
  at.file("course/1.md", email("One", "0"));
  const made = await at.run("sequences", "create", folder, "--name=Course", "--trigger=tag:VIP", "--again=90");
  const shown = await at.run("sequences", "show", made.out.trim(), "--json");
  expect(JSON.parse(shown.out)).toMatchObject({ trigger: "tag:VIP", againDays: 90 });
});

test("an imported list begins the sequence of its tag only with --begin", async () => {
  using at = cliService();
  const folder = at.file("course");
  mkdirSync(folder);
  at.file("course/1.md", email("One", "0"));
  const id = (await at.run("sequences", "create", folder, "--name=Course", "--trigger=tag:VIP")).out.trim();
  await at.run("sequences", "start", id);
  const began = async () =>
    (JSON.parse((await at.run("sequences", "show", id, "--json")).out) as { entered: number }).entered;
  const consent = "--consent=Signed up on the old site";
  await at.run("subscribers", "import", at.file("one.csv", "email,tags\nada@example.com,VIP\n"), consent);
  expect(await began()).toBe(0);
  await at.run("subscribers", "import", at.file("two.csv", "email,tags\nbo@example.com,VIP\n"), consent, "--begin");
  expect(await began()).toBe(1);
});
