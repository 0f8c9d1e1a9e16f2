import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { sendAgain } from "../../db/broadcasts/sending/promote";
import { nameAll } from "../../db/newsletter/by-key";
import { confirm } from "../../db/newsletter/confirm";
import { edit } from "../../db/newsletter/edit";
import { importAll } from "../../db/newsletter/import";
import * as subscriberList from "../../db/newsletter/list";
import { leaveTopic, pauseFor, savePreferences } from "../../db/newsletter/preferences";
import { endPauses } from "../../db/newsletter/pause";
import { relabel } from "../../db/newsletter/list";
import * as subscribers from "../../db/newsletter/subscribers";
import { addTopic } from "../../db/newsletter/topics";
import { skipOrStopLate } from "../../db/sequences/late";
import { whereabouts } from "../../db/sequences/report";
import { end, pause, resume } from "../../db/sequences/states";
import { add as suppress } from "../../db/suppressions/suppressions";
import { look } from "../../test/support/look";
import { by } from "../../test/support/broadcasts/broadcasts";
import { days, hours, placesIn, sequenceOf, startedSequence } from "../../test/support/broadcasts/sequences";
import { sequenceStage } from "../../test/support/broadcasts/sequence-stage";
import { refusal } from "../../test/support/mail";
import * as settings from "../../test/support/settings";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

const post = (rules?: Parameters<typeof sequenceStage>[1]) => sequenceStage(afterwards, rules);

test("whoever subscribes after the start gets each email once, so long after the one before", async () => {
  const { db, now, subscribe, later, gotOf } = await post();
  await subscribe("early@x.example");
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(2), hours(30)] });
  await subscribe("ada@x.example");
  await later(0);
  expect(gotOf(course)).toEqual(["ada 1"]);
  await later(hour);
  await subscribe("bob@x.example");
  await later(0);
  await later(hour - 1);
  expect(gotOf(course)).toEqual(["ada 1", "bob 1"]);
  await later(1);
  expect(gotOf(course)).toEqual(["ada 1", "bob 1", "ada 2"]);
  await later(hour);
  await later(29 * hour);
  await later(hour);
  await later(100 * day);
  expect(gotOf(course)).toEqual(["ada 1", "bob 1", "ada 2", "bob 2", "ada 3", "bob 3"]);
  expect(await placesIn(db)).toEqual({ "ada@x.example": "done", "bob@x.example": "done" });
  expect(await whereabouts(db, course)).toMatchObject({ entered: 2, done: 2, stopped: 0 });
});

test("who leaves, is suppressed, is deleted or leaves the topic gets nothing more, even after coming back", async () => {
  const { db, now, subscribe, later, gotOf, idOf } = await post();
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now());
  await addTopic(db, { name: "News", sentence: "", isDefault: false }, by, now());
  const trigger = { trigger: "topic" as const, of: "recipes" };
  const course = await startedSequence(db, now(), { trigger, waits: [hours(0), hours(1), hours(1)] });
  const people = ["left", "suppressed", "deleted", "topic", "stays"].map((name) => `${name}@x.example`);
  for (const email of [...people, "none@x.example"])
    await subscribe(email, email.startsWith("none") ? ["news"] : ["recipes", "news"]);
  await later(0);
  await later(hour);
  expect(gotOf(course)).toHaveLength(10);
  const origin = { via: "link" as const };
  await subscribers.unsubscribe(db, "left@x.example", origin, now());
  await suppress(db, { email: "suppressed@x.example", detail: undefined }, { via: "cli", actor: "cli" }, now());
  await subscriberList.remove(db, { ids: [await idOf("deleted@x.example")] }, by, now());
  await leaveTopic(db, { email: "topic@x.example", origin, now: now() }, { slug: "recipes", recipient: undefined });
  expect(await placesIn(db)).toEqual({
    "left@x.example": "stopped left",
    "suppressed@x.example": "stopped suppressed",
    "topic@x.example": "stopped topic",
    "stays@x.example": "waiting 2026-11-21T14:00:00.000Z",
  });
  for (const email of people) await subscribe(email, ["recipes"]);
  await subscribers.subscribeAgain(db, "left@x.example", origin, now());
  await later(hour);
  await later(day);
  expect(gotOf(course).slice(10)).toEqual(["stays 3", "deleted 1", "deleted 2"]); // a new person with the same address
  expect((await placesIn(db))["left@x.example"]).toBe("stopped left");
});

test("who gets the tag again begins again so many days after the end, and gets each email once more; otherwise no one does", async () => {
  const { db, now, subscribe, later, gotOf, idOf } = await post();
  const trigger = { trigger: "tag" as const, of: "VIP" };
  const course = await startedSequence(db, now(), { trigger, againDays: 30, waits: [hours(0), hours(1)] });
  const once = await startedSequence(db, now(), { trigger, name: "Once", waits: [hours(0)] });
  for (const name of ["ada", "bob", "cy"]) await subscribe(`${name}@x.example`);
  const tag = async (name: string) => {
    const change = { id: await idOf(`${name}@x.example`), details: {} };
    await edit(db, { ...change, tags: { add: [], remove: ["VIP"] } }, by, now());
    await edit(db, { ...change, tags: { add: ["VIP"], remove: [] } }, by, now());
  };
  for (const name of ["ada", "bob", "cy"]) await tag(name);
  await later(0);
  await tag("ada"); // in the middle of it
  await later(hour);
  const first = ["ada 1", "bob 1", "cy 1", "ada 2", "bob 2", "cy 2"];
  expect(gotOf(course).toSorted()).toEqual(first.toSorted());
  await subscribers.unsubscribe(db, "cy@x.example", { via: "link" }, now());
  await later(30 * day - 1);
  for (const name of ["ada", "cy"]) await tag(name); // a moment too early, and gone
  await later(1);
  await subscribe("dan@x.example");
  for (const name of ["bob", "dan"]) await tag(name); // in one batch
  await subscribers.subscribeAgain(db, "cy@x.example", { via: "link" }, now()); // coming back begins nothing
  await later(0);
  await later(hour);
  expect(gotOf(course).slice(6).toSorted()).toEqual(["bob 1", "bob 2", "dan 1", "dan 2"]);
  expect(gotOf(once).toSorted()).toEqual(["ada 1", "bob 1", "cy 1", "dan 1"]);
  await tag("cy");
  const until = new Date(now().getTime() + day);
  await pauseFor(db, { email: "cy@x.example", origin: { via: "preferences" }, now: now() }, until);
  await later(2 * day);
  await endPauses(db, now());
  await later(0);
  await later(hour);
  expect(gotOf(course).slice(10)).toEqual(["cy 1", "cy 2"]);
  expect(await whereabouts(db, course)).toMatchObject({ entered: 4, done: 4, stopped: 0 });
  expect(await look(db, "select run, state from broadcast_recipients where run > 0")).toEqual(
    Array.from({ length: 4 }, () => ({ run: 1, state: 1 })),
  );
});

test("a pause holds the next email, which is sent once it ends; leaving ends it for good", async () => {
  const { db, now, subscribe, later, gotOf, clock } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(1), days(1, 9 * 60)] });
  for (const name of ["ada", "bob", "cy"]) await subscribe(`${name}@x.example`);
  const origin = { via: "preferences" as const };
  const set = (email: string, until?: Date) => pauseFor(db, { email, origin, now: now() }, until);
  await set("ada@x.example", new Date(clock.time + 3 * day));
  await set("bob@x.example", new Date(clock.time + 3 * day));
  await later(2 * hour);
  expect(gotOf(course)).toEqual(["cy 1"]);
  await set("ada@x.example");
  await later(0);
  expect(gotOf(course)).toEqual(["cy 1", "ada 1"]);
  await set("ada@x.example", new Date(clock.time + 3 * day));
  await subscribers.unsubscribe(db, "bob@x.example", { via: "link" }, now());
  await later(4 * day);
  await endPauses(db, now());
  expect(await placesIn(db)).toMatchObject({
    "ada@x.example": "waiting 2026-11-26T09:00:00.000Z", // the next nine o’clock
    "bob@x.example": "stopped left",
    "cy@x.example": "done",
  });
  await later(day);
  expect(gotOf(course)).toEqual(["cy 1", "ada 1", "cy 2", "ada 2"]);
});

test("an email that is on its way when someone leaves or pauses is the last, and a refused one waits for the end of the pause", async () => {
  const { db, now, subscribe, later, gotOf, provider, clock } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(0)] });
  for (const name of ["left", "paused", "stays"]) await subscribe(`${name}@x.example`);
  const until = new Date(clock.time + day);
  const origin = { via: "preferences" as const };
  provider.behave = async () => {
    provider.behave = () => undefined;
    await subscribers.unsubscribe(db, "left@x.example", { via: "link" }, now());
    await pauseFor(db, { email: "paused@x.example", origin, now: now() }, until);
    return refusal(429, "rate_limit_exceeded", { "retry-after": "7" });
  };
  await later(0);
  await later(minute);
  expect(gotOf(course)).toEqual(["stays 1", "stays 2"]);
  expect(await placesIn(db)).toMatchObject({ "left@x.example": "stopped left" });
  expect((await placesIn(db))["paused@x.example"]).toStartWith("held");
  await later(day);
  await endPauses(db, now());
  await later(0);
  await later(minute);
  expect(gotOf(course).slice(2)).toEqual(["paused 1", "paused 2"]);
  const [{ n } = { n: 0 }] = await look<{ n: number }>(
    db,
    "select count(*) n from broadcast_recipients where state = 5",
  );
  expect(n).toBe(1); // who left
});

test("a tag, a topic and a confirmation begin a sequence; an import, a change of many and coming back do not", async () => {
  const { db, now, subscribe, idOf, later } = await post();
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now());
  const first = await startedSequence(db, now(), { name: "Subscribed" });
  const tagged = await startedSequence(db, now(), { name: "VIP", trigger: { trigger: "tag", of: "VIP" } });
  const topic = await startedSequence(db, now(), { name: "Topic", trigger: { trigger: "topic", of: "recipes" } });
  const confirmed = await startedSequence(db, now(), { name: "Confirmed", trigger: { trigger: "confirmed" } });
  const namesOf = async (email: string) =>
    (
      await look<{ name: string }>(
        db,
        `select sequences.name from sequence_people join sequences on sequences."row" = sequence_row
          where subscriber_row = (select "row" from subscribers where email = ?) order by sequences.name`,
        [email],
      )
    ).map(({ name }) => name);
  expect([first, tagged, topic, confirmed]).toHaveLength(4);

  await subscribe("ada@x.example");
  expect(await namesOf("ada@x.example")).toEqual(["Subscribed"]);
  const labels = { id: await idOf("ada@x.example"), details: {}, tags: { add: ["vip"], remove: [] } };
  await edit(db, labels, by, now());
  const chosen = {
    offered: ["recipes"],
    chosen: ["recipes"],
    language: undefined,
    siteLanguage: "en",
    name: undefined,
  };
  await savePreferences(db, { email: "ada@x.example", origin: { via: "preferences" }, now: now() }, chosen);
  expect(await namesOf("ada@x.example")).toEqual(["Subscribed", "Topic", "VIP"]);

  const row = {
    email: "bob@x.example",
    name: null,
    source: null,
    state: "active" as const,
    createdAt: now(),
    tags: ["VIP"],
  };
  await importAll(db, [row], { revive: false, origin: { via: "import" } }, now());
  const many = { add: ["VIP"], remove: [], topics: { add: ["recipes"], remove: [] } };
  await subscribe("cy@x.example");
  await relabel(db, { selection: { ids: [await idOf("cy@x.example")] }, labels: many }, by, now());
  expect([await namesOf("bob@x.example"), await namesOf("cy@x.example")]).toEqual([[], ["Subscribed"]]);

  const consent = { how: "Box ticked at checkout", at: now() };
  const byKey = { email: "shop@x.example", tags: ["VIP"], topics: ["recipes"], fields: [], consent };
  const name = (person: typeof byKey) =>
    nameAll(db, [{ person, ignored: [] }], { origin: { via: "api" as const } }, now());
  await name(byKey);
  expect(await namesOf("shop@x.example")).toEqual(["Subscribed", "Topic", "VIP"]);
  await name({ ...byKey, email: "cy@x.example", topics: [] });
  expect(await namesOf("cy@x.example")).toEqual(["Subscribed"]); // who had the tag already

  await settings.set(db, "doubleOptIn", "true", { by: "cli" }, now());
  await subscribe("dee@x.example", ["recipes"]);
  expect(await namesOf("dee@x.example")).toEqual([]);
  const pendingAt = (await subscribers.byEmail(db, "dee@x.example"))?.pendingAt ?? new Date(0);
  await confirm(db, { email: "dee@x.example", askedAt: pendingAt }, { via: "confirm" }, now());
  expect(await namesOf("dee@x.example")).toEqual(["Confirmed", "Subscribed", "Topic"]);

  await subscribers.unsubscribe(db, "bob@x.example", { via: "link" }, now());
  await later(1_000);
  await subscribers.subscribeAgain(db, "bob@x.example", { via: "link" }, now());
  expect(await namesOf("bob@x.example")).toEqual([]);
});

test("only people in the segment begin, as it was when the sequence was started", async () => {
  const { db, now } = await post();
  await startedSequence(db, now(), { segment: { v: 2, all: [{ field: "source", is: "any", of: ["blog"] }] } });
  for (const source of ["blog", "shop"])
    await subscribers.subscribe(db, { email: `${source}@x.example`, source }, { via: "form" }, now(), {
      welcome: false,
    });
  expect(Object.keys(await placesIn(db))).toEqual(["blog@x.example"]);
});

test("emails of days, and late ones, never share a day where the person lives; those of hours do", async () => {
  const { db, now, subscribe, later, gotOf, clock } = await post();
  await settings.set(db, "timeZone", "Europe/Berlin", { by: "cli" }, now());
  clock.time = Date.parse("2026-11-20T10:00:00Z");
  const one = await startedSequence(db, now(), { name: "One", waits: [days(1, 9 * 60)] });
  const two = await startedSequence(db, now(), { name: "Two", waits: [days(1, 9 * 60), hours(1)] });
  await subscribe("ada@x.example");
  const ofDay = async (date: string) => {
    await later(Date.parse(date) - clock.time);
    for (let i = 0; i < 24; i++) await later(hour);
    return [gotOf(one).length, gotOf(two).length];
  };
  expect(await ofDay("2026-11-20T22:00:00Z")).toEqual([1, 0]); // 9:00 in Berlin on the 21st
  expect(await ofDay("2026-11-21T23:00:00Z")).toEqual([1, 2]);
});

test("nor do they share a day of someone who moves: what came today came today there, too", async () => {
  const { db, now, subscribe, later, gotOf, clock } = await post();
  clock.time = Date.parse("2026-11-20T00:00:00Z");
  const one = await startedSequence(db, now(), { name: "One", waits: [days(1, 9 * 60)] });
  const two = await startedSequence(db, now(), { name: "Two", waits: [days(1, 20 * 60)] });
  const zones = {
    "west@x.example": ["Asia/Tokyo", "America/Los_Angeles"],
    "east@x.example": ["America/Los_Angeles", "Asia/Tokyo"],
  };
  const moveTo = async (email: string, timeZone = "") =>
    edit(db, { id: (await subscribers.byEmail(db, email))?.id ?? "", details: { timeZone } }, by, now());
  for (const [email, [from]] of Object.entries(zones)) {
    await subscribe(email);
    await moveTo(email, from);
  }
  const dayOf = new Map<string, string[]>();
  let count = 0;
  for (let i = 0; i < 96; i++) {
    await later(hour);
    const got = [...gotOf(one), ...gotOf(two)].length;
    if (got === count) continue;
    count = got;
    for (const [email, [, to]] of Object.entries(zones)) {
      const name = email.split("@")[0] ?? "";
      const mine = [...gotOf(one), ...gotOf(two)].filter((each) => each.startsWith(name)).length;
      const before = dayOf.get(email) ?? [];
      if (mine === before.length) continue;
      dayOf.set(email, [...before, new Intl.DateTimeFormat("sv", { timeZone: to }).format(now())]);
      await moveTo(email, to);
    }
  }
  for (const email of Object.keys(zones)) {
    const [first, second] = dayOf.get(email) ?? [];
    expect([email, first === undefined, second === undefined, first === second]).toEqual([email, false, false, false]);
  }
});

test("a provider that is down, and a service that was, send nothing twice: late ones go out on days of their own", async () => {
  const { db, now, subscribe, later, gotOf, provider } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(0), days(1, 600), days(1, 600)] });
  await subscribe("ada@x.example");
  provider.behave = (email) => (provider.deliver(email), "reset");
  await later(0);
  provider.behave = () => undefined;
  for (let i = 0; i < 20; i++) await later(minute);
  expect(gotOf(course)).toEqual(["ada 1"]);
  await later(5 * day); // nobody sent anything
  await later(minute);
  expect(gotOf(course)).toEqual(["ada 1", "ada 2"]);
  await later(day);
  expect(gotOf(course)).toEqual(["ada 1", "ada 2", "ada 3"]);
});

test("SEQ2: with a provider that is away for 30 hours and a service for five days, no one gets an email twice or two a day", async () => {
  const people = Number(Bun.env.SEQUENCE_PEOPLE ?? 60);
  const { db, now, subscribe, later, provider } = await post();
  const courses = [
    await startedSequence(db, now(), { waits: [hours(0), days(1, 600), days(1, 600)] }),
    await startedSequence(db, now(), { name: "Second", waits: [days(1, 660), days(2, 660)] }),
  ];
  for (let i = 0; i < people; i++) await subscribe(`p${i}@x.example`);
  const [got, onDay] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  let seen = 0;
  const pass = async (times: number, ms: number) => {
    for (let i = 0; i < times; i++) {
      await later(ms);
      const all = provider.delivered();
      for (const {
        to: [to = ""],
        tags = [],
      } of all.slice(seen)) {
        count(got, `${to} ${tags.find(({ name }) => name === "postroom_b")?.value}`);
        count(onDay, `${to} ${Math.floor(now().getTime() / day)}`);
      }
      seen = all.length;
    }
  };
  let requests = 0;
  provider.behave = (email) => (requests++ % 2 && provider.deliver(email), "reset");
  await pass(1, 0);
  await pass(180, 10 * minute);
  provider.behave = () => undefined;
  await pass(60, minute);
  await later(5 * day); // nobody sent anything
  for (const { id } of courses) {
    const sequence = await sequenceOf(db, id);
    if (sequence.state === "paused") await resume(db, sequence, by, now());
  }
  await pass(10 * 24, hour);
  const [{ n: uncertain } = { n: 0 }] = await look<{ n: number }>(
    db,
    "select count(*) n from broadcast_recipients where state = 3",
  );
  expect(uncertain).toBeGreaterThan(0);
  expect(uncertain).toBeLessThanOrEqual(500);
  expect([...got, ...onDay].filter(([, times]) => times > 1)).toEqual([]);
  const missing = 5 * people - got.size;
  if (Bun.env.SEQUENCE_PEOPLE) console.log({ people, requests, uncertain, missing });
  expect(missing).toBeLessThanOrEqual(uncertain);
  expect(new Set(Object.values(await placesIn(db)))).toEqual(new Set(["done"]));
});

test("over a hundred people whose email is three days late pause the sequence; a manager sends, skips or stops", async () => {
  const { db, now, subscribe, later, gotOf } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(1), hours(1)] });
  for (let i = 0; i < 101; i++) await subscribe(`p${i}@x.example`);
  await later(4 * day);
  expect(await sequenceOf(db, course.id)).toMatchObject({ state: "paused", reason: "late" });
  expect(gotOf(course)).toEqual([]);
  expect(await look(db, "select kind, payload from outbox where kind = 'notice'")).toEqual([
    { kind: "notice", payload: '{"about":"paused"}' },
  ]);
  expect(await skipOrStopLate(db, await sequenceOf(db, course.id), "skip", now())).toBe(101);
  await resume(db, await sequenceOf(db, course.id), by, now());
  await later(hour);
  expect(new Set(gotOf(course).map((each) => each.split(" ")[1]))).toEqual(new Set(["2"]));
  expect(gotOf(course)).toHaveLength(101);
});

test("whoever is late can be stopped: they get nothing more of it, whoever comes later does", async () => {
  const { db, now, subscribe, later, gotOf } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(1), hours(1)] });
  await subscribe("ada@x.example");
  await pause(db, await sequenceOf(db, course.id), by, now());
  await later(4 * day);
  await subscribe("bob@x.example");
  expect(await skipOrStopLate(db, await sequenceOf(db, course.id), "stop", now())).toBe(1);
  await resume(db, await sequenceOf(db, course.id), by, now());
  await later(hour);
  expect(gotOf(course)).toEqual(["bob 1"]);
  expect(await placesIn(db)).toMatchObject({ "ada@x.example": "stopped late" });
});

test("a resumed sequence sends what is late, a paused one nothing, and an ended one nothing for ever", async () => {
  const { db, now, subscribe, later, gotOf } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(1), hours(1)] });
  await subscribe("ada@x.example");
  await pause(db, await sequenceOf(db, course.id), by, now());
  await subscribe("bob@x.example");
  await later(4 * day);
  expect(gotOf(course)).toEqual([]);
  await resume(db, await sequenceOf(db, course.id), by, now());
  await later(0);
  expect(gotOf(course)).toEqual(["ada 1", "bob 1"]);
  await end(db, await sequenceOf(db, course.id), by, now());
  await subscribe("cy@x.example");
  await later(day);
  expect(gotOf(course)).toHaveLength(2);
  expect(await placesIn(db)).toEqual({ "ada@x.example": "stopped ended", "bob@x.example": "stopped ended" });
});

test("what the provider refuses for good stops that person; sent again by a manager, it arrives", async () => {
  const { db, now, subscribe, later, gotOf, provider, broadcast } = await post({ refused: /^bad@/ });
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(1)] });
  for (const name of ["ada", "bad"]) await subscribe(`${name}@x.example`);
  await later(0);
  await later(hour);
  expect(gotOf(course)).toEqual(["ada 1", "ada 2"]);
  expect((await placesIn(db))["bad@x.example"]).toBe("stopped refused");
  provider.resend.rules = { ...provider.resend.rules, refused: undefined };
  await sendAgain(db, { seen: await broadcast(course.emails[0] ?? ""), to: "failed" }, by, now());
  await later(0);
  expect(gotOf(course)).toEqual(["ada 1", "ada 2", "bad 1"]);
});

test("a wrong key pauses the whole sequence with the provider's words; resumed, everyone gets it once", async () => {
  const { db, now, subscribe, later, gotOf, provider } = await post();
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(1)] });
  await subscribe("ada@x.example");
  provider.behave = () => refusal(401, "restricted_api_key");
  await later(0);
  expect(await sequenceOf(db, course.id)).toMatchObject({ state: "paused", reason: "credentials" });
  const states = await look(db, "select state, state_reason reason from broadcasts order by row");
  expect(states).toEqual([
    { state: "paused", reason: "credentials" },
    { state: "paused", reason: "sequence" },
  ]);
  provider.behave = () => undefined;
  await resume(db, await sequenceOf(db, course.id), by, now());
  await later(0);
  await later(hour);
  expect(gotOf(course)).toEqual(["ada 1", "ada 2"]);
});

test("an email of days never comes on the day of the welcome email, which follows a confirmation too", async () => {
  const { db, now, subscribe, later, gotOf } = await post();
  const confirmed = { trigger: "confirmed" } as const;
  const course = await startedSequence(db, now(), { trigger: confirmed, waits: [days(0, 18 * 60), days(0, 19 * 60)] });
  await settings.set(db, "doubleOptIn", "true", { by: "cli" }, now());
  await subscribe("ada@x.example");
  await later(hour);
  const askedAt = (await subscribers.byEmail(db, "ada@x.example"))?.pendingAt ?? new Date(0);
  await confirm(db, { email: "ada@x.example", askedAt }, { via: "confirm" }, now());
  const welcomes = "select count(*) n from outbox where kind = 'welcome'";
  expect(await look(db, welcomes)).toEqual([{ n: 1 }]);
  for (let i = 0; i < 12; i++) await later(hour);
  expect(gotOf(course)).toEqual([]);
  for (let i = 0; i < 24; i++) await later(hour);
  expect(gotOf(course)).toEqual(["ada 1"]);
  for (let i = 0; i < 24; i++) await later(hour);
  expect(gotOf(course)).toEqual(["ada 1", "ada 2"]);
  expect(await look(db, welcomes)).toEqual([{ n: 1 }]);
});
