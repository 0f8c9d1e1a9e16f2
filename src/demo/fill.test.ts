import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { isLive } from "../mail/open";
import { loadConfig } from "../platform/config";
import { useVariables } from "../security/variables";
import { addTeam, fillWithDemo } from "./fill";

const service = await testService();
const { db, storage, now } = service;
await service.signIn(); // who is told when newsletters were sent
const isFilled = await fillWithDemo(service, now());

test("the demo fills an empty database once, and no other", async () => {
  expect(isFilled).toBe(true);
  expect(await fillWithDemo(service, now())).toBe(false);
  const other = await testService();
  await other.post("/api/newsletter/subscribe", { email: "ada@reader.example" });
  expect(await fillWithDemo(other, now())).toBe(false);
  expect(await look(other.db, "select name from installation where name = 'sampleContent'")).toEqual([]);
});

test("the owner is told of each sample message that is not spam, and of no other", async () => {
  const told = await look(db, "select subject_id as id from outbox where kind = 'contact' order by 1");
  expect(told).toEqual(await look(db, "select id from messages where spam_reason is null order by 1"));
  expect(await look(db, "select id from messages where spam_reason is not null")).not.toEqual([]);
});

test("the days of the sample content add up to its views and clicks, so that its charts show something", async () => {
  const totals = async (kind: string) =>
    look(
      db,
      "select subject_id as id, cast(sum(count) as integer) as total from daily_counts where kind = ? group by 1 order by 1",
      [kind],
    );
  const [all, ...posts] = await totals("view");
  expect(posts).toEqual(await look(db, "select id, views as total from posts where views > 0 order by id"));
  expect(Number(all?.total)).toBe(posts.reduce((sum, { total }) => sum + Number(total), 0));
  expect((await totals("click")).slice(1)).toEqual(
    await look(db, "select id, clicks as total from projects where clicks > 0 order by id"),
  );
});

const reserved = /@(.*\.)?example(\.com|\.org|\.net)?$/;

test("nothing in sample content waits to be sent, and every name in it is reserved", async () => {
  expect(await look(db, "select id from outbox where state = 'queued'")).toEqual([]);
  expect(await look(db, "select id from webhook_deliveries where state = 'queued'")).toEqual([]);
  for (const { url } of await look<{ url: string }>(db, "select url from webhook_endpoints"))
    expect(new URL(url).hostname).toEndWith(".example");
  const people = await look<{ email: string }>(
    db,
    "select email from subscribers union select email from messages union select email from suppressions where email is not null union select recipient from outbox",
  );
  expect(people.length).toBeGreaterThan(300);
  expect(people.filter(({ email }) => !reserved.test(email))).toEqual([]);
});

test("a provider that is configured later is not used for sample content", async () => {
  const [demo, real] = [0, 1].map(() =>
    loadConfig({ APP_SECRET: "s".repeat(32), MAILER_API_KEY: "re_123456789", DATA_DIR: service.config.DATA_DIR }),
  );
  if (!demo || !real) throw new Error("There is no configuration");
  expect(isLive(demo)).toBe(true);
  await useVariables({ config: demo, db });
  expect(isLive(demo)).toBe(false);
  await useVariables({ config: real, db: (await testService()).db });
  expect(isLive(real)).toBe(true);
});

test("newsletters are in every state, and their ledgers add up", async () => {
  const states = await look(
    db,
    "select state, count(*) as n from broadcasts where kind <> 'step' group by 1 order by 1",
  );
  expect(states).toEqual([
    { state: "draft", n: 2 },
    { state: "paused", n: 1 },
    { state: "scheduled", n: 1 },
    { state: "sent", n: 6 },
  ]);
  const sums = await look<Record<string, number>>(
    db,
    "select claimed, accepted + failed + uncertain + simulated + skipped as settled, accepted, delivered + bounced as reported from broadcasts where state = 'sent' and kind <> 'step'",
  );
  for (const { claimed, settled, accepted, reported } of sums) {
    expect(settled).toBe(claimed ?? 0);
    expect(reported).toBe(accepted ?? 0);
    expect(accepted).toBeGreaterThan(10);
  }
  const [paused] = await look<Record<string, number>>(
    db,
    "select claimed, audience, delivered from broadcasts where state = 'paused' and kind <> 'step'",
  );
  expect(paused?.delivered).toBeGreaterThan(0);
  expect(paused?.claimed).toBeLessThan(paused?.audience ?? 0);
});

test("people are on their way through a sequence, and some have reached its end", async () => {
  const places = await look<{ state: number; n: number }>(
    db,
    "select state, count(*) as n from sequence_people group by 1 order by 1",
  );
  expect(places.map(({ state }) => state)).toEqual([0, 3, 4]);
  expect(await look(db, "select state from sequences order by state")).toEqual([{ state: "draft" }, { state: "on" }]);
});

test("with a storage node, posts and projects have pictures that load", async () => {
  const filled = await testService();
  filled.clock.time = Date.now(); // the node has the real time
  await fillWithDemo({ ...filled, storage: filled.storage }, filled.now());
  const files = await look<{ id: string; width: number | null }>(
    filled.db,
    "select id, width from uploads where mime_type = 'image/png' and state = 'completed'",
  );
  expect(files.length).toBe(15);
  expect(files.every(({ width }) => width === 1280)).toBe(true);
  const covers = await look<{ url: string }>(
    filled.db,
    "select cover_image as url from posts where cover_image like '/media/%' union select image_url from projects where image_url like '/media/%'",
  );
  expect(covers.length).toBe(15);
  await filled.storage.close();
  expect(storage).toBeDefined();
});

test("no one can sign in as a sample manager or call with a sample key, and the first manager still becomes the owner", async () => {
  const team = await look<{ role: string; hash: string }>(
    db,
    "select role, password_hash as hash from managers where email like '%@halvorsen.example' order by role",
  );
  expect(team.map(({ role }) => role)).toEqual(["editor", "manager"]);
  expect(new Set(team.map(({ hash }) => hash)).size).toBe(2);
  for (const { hash } of team) expect(await Bun.password.verify("noor@halvorsen.example", hash)).toBe(false);
  expect(await look(db, "select name, active from api_keys order by name")).toEqual([
    { name: "Blog", active: 1 },
    { name: "Landing page", active: 1 },
    { name: "Old landing page", active: 0 },
  ]);
  const { prefix, last } = (
    await look<Record<string, string>>(db, "select prefix, last_four as last from api_keys where name = 'Blog'")
  )[0] as { prefix: string; last: string };
  for (const key of [prefix + last, prefix + "0".repeat(32), `${prefix}${"0".repeat(28)}${last}`])
    expect((await service.get("/api/v1/posts", { "x-api-key": key })).status).toBe(401);

  const fresh = await testService();
  await addTeam(fresh.db, fresh.now);
  expect(await look(fresh.db, "select id from managers")).toEqual([]);
});
