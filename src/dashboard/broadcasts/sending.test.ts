import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import { byId, withContent } from "../../../db/broadcasts/broadcasts";
import { create } from "../../../db/broadcasts/edit";
import { promote } from "../../../db/broadcasts/sending/promote";
import type { Segment } from "../../../db/newsletter/segments/definition";
import { changeSegment, saveSegment } from "../../../db/newsletter/segments/saved";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as postEdits from "../../../db/posts/edit";
import { confirmBroadcast } from "../../broadcasts/freeze";
import { summaryOf } from "../../cli/broadcasts";
import { addPeople } from "../../../test/support/broadcasts/broadcasts";
import { addRecipients, setState } from "../../../test/support/broadcasts/sent";
import { look } from "../../../test/support/look";
import { readPublic } from "../../../db/settings/settings";
import { set } from "../../../test/support/settings";
import { testService } from "../../../test/support/service";

const path = "/dashboard/broadcasts";
const minute = 60_000;
const warnings = ["simulated", "postal-address", "test"];

/** A service with people, a signed-in manager, and a draft. */
async function openSending({ people = 3, segment = {} as Segment, env = {} as Record<string, string> } = {}) {
  const service = await testService(env);
  const { db, now, clock, config } = service;
  const manager = await service.signIn();
  const by = { actor: manager.manager.email };
  if (people > 10) await addPeople(db, people);
  else
    for (let i = 1; i <= people; i++)
      await subscribers.subscribe(db, { email: `p${i}@example.com` }, { via: "form" }, now());
  const fields = { subject: "Rain", preheader: "On rain", fromName: "", archive: "listed" as const };
  const { id } = await create(
    db,
    { source: { kind: "own" }, fields: { ...fields, segment, content: "It rained." } },
    by,
    now(),
  );
  const page = `${path}/${id}`;
  const stored = async () => {
    const found = await byId(db, id);
    if (!found) throw new Error("The broadcast is gone");
    return found;
  };
  const submit = async (act: string, fields: Record<string, string | string[]> = {}) => {
    const { version } = await stored();
    const answer = await manager.submit(`${page}/${act}`, { version: String(version), ...fields } as never);
    return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() };
  };
  /** Submits the confirmation. */
  const send = (answer: Record<string, string | string[]> = {}) =>
    submit("send", { when: "now", zone: "UTC", day: "", time: "", typed: "", fine: warnings, ...answer });
  const text = async (to = page) => (await manager.get(to)).text();
  /** Confirmed, and due. */
  const start = async () => {
    await confirmBroadcast({ config, db }, id, { at: now(), by }, now());
    await promote(db, undefined, now());
  };
  const actions = async () =>
    (await audit.list(db, { group: "broadcast" }, { page: 1, per: 50 })).events.map(({ action }) => action);
  return { ...service, clock, manager, id, page, stored, submit, send, text, start, actions };
}

test("the sender that is shown before, at and after the question is the one that is sent", async () => {
  const env = { MAIL_FROM: '"Ada’s Notes" <ada@x.example>' };
  const { page, text, start } = await openSending({ env });
  expect(await text()).toContain('placeholder="Ada’s Notes"');
  expect(await text(`${page}/send`)).toContain("<strong>Ada’s Notes</strong>");
  await start();
  expect(await text()).toContain("<strong>Ada’s Notes</strong>");
});

test("the confirmation says how many, who and how long, and each warning must be accepted", async () => {
  const { page, text, send, stored } = await openSending();
  const question = await text(`${page}/send`);
  for (const words of ["Simulate for 3 people?", "Everyone", "Listed in the public archive"])
    expect(question).toContain(words);
  const boxes = [...question.matchAll(/<label for="fine-[^"]+">([^<]+)<\/label>/g)].map(([, label]) => label);
  expect(boxes).toEqual(["Simulate it", "Simulate without a postal address", "Simulate without a test"]);
  const refused = await send({ fine: ["test"] });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("Confirm: No email provider is configured");
  expect((await stored()).state).toBe("draft");
});

test("the postal address is in the email, also if it is not marked public for the API", async () => {
  const { db, now, page, text } = await openSending();
  expect(await text(`${page}/send`)).toContain("No postal address is set.");
  await set(db, "postalAddress", "1 Sunny Lane", { by: "cli" }, now());
  expect(await text(`${page}/send`)).not.toContain("No postal address is set.");
  expect(await text(`${page}/preview`)).toContain("1 Sunny Lane");
  expect(await readPublic(db)).toEqual({});
});

test("what blocks is named, and there is no button to send", async () => {
  const { page, text, send, stored } = await openSending({ people: 0 });
  const question = await text(`${page}/send`);
  expect(question).toContain("There are no recipients.");
  expect(question).not.toContain('id="send-now"');
  expect((await send()).status).toBe(422);
  expect((await stored()).state).toBe("draft");
});

test("now means in 60 seconds, and until then it can be stopped and edited", async () => {
  const { send, submit, stored, now, page, text, actions } = await openSending();
  expect(await send()).toMatchObject({ status: 303, location: page });
  expect(await stored()).toMatchObject({
    state: "scheduled",
    audience: 3,
    scheduledAt: new Date(now().getTime() + minute),
  });
  for (const words of ["Starts in 60 seconds", "Stop, and edit it"]) expect(await text()).toContain(words);
  await submit("unschedule");
  expect(await stored()).toMatchObject({ state: "draft", scheduledAt: null });
  expect((await actions()).slice(0, 2)).toEqual(["broadcast.unschedule", "broadcast.confirm"]);
});

test("a time is one of the manager's zone, in the future, within a year", async () => {
  const { send, submit, stored, now } = await openSending();
  const inAYear = new Date(now().getTime() + 366 * 1_440 * minute + minute).toISOString();
  for (const [day, time] of [
    [inAYear.slice(0, 10), inAYear.slice(11, 16)],
    ["2026-11-21", "11:59"],
    ["2028-01-01", "09:00"],
    ["soon", ""],
  ])
    expect((await send({ when: "at", day: day ?? "", time: time ?? "" })).status).toBe(422);
  const last = new Date(Date.parse(inAYear) - minute).toISOString();
  expect((await send({ when: "at", day: last.slice(0, 10), time: last.slice(11, 16) })).status).toBe(303);
  expect((await stored()).scheduledAt?.toISOString()).toBe(`${last.slice(0, 16)}:00.000Z`);
  await submit("unschedule");
  await send({ when: "at", day: "2026-12-06", time: "08:00:30", zone: "Europe/Oslo" }); // some browsers add seconds
  expect((await stored()).scheduledAt).toEqual(new Date("2026-12-06T07:00:00Z"));
});

test("unscheduled to be edited, it is asked about with the time that it had, until that is over", async () => {
  const { send, submit, stored, text, page, now, clock } = await openSending();
  await send({ when: "at", day: "2026-11-21", time: "21:30", zone: "Europe/Oslo" });
  await submit("unschedule");
  expect(summaryOf(await stored(), now())).toMatchObject({ state: "draft", scheduledAt: null });
  const asked = async () => {
    const question = await text(`${page}/send`);
    const [, when] = /name="when" value="(\w+)" id="[\w-]+" checked/.exec(question) ?? [];
    const [, day] = /name="day" value="([^"]*)"/.exec(question) ?? [];
    const [, time] = /name="time" value="([^"]*)"/.exec(question) ?? [];
    return [when, day, time];
  };
  expect(await asked()).toEqual(["at", "2026-11-21", "20:30"]);
  clock.time = Date.parse("2026-11-21T20:30:00Z");
  expect(await asked()).toEqual(["now", "2026-11-22", "08:00"]);
});

test("a time in a zone that is not known here is refused, and never read as UTC", async () => {
  const { send, stored, manager, page } = await openSending();
  const refusal = "The time zone of your browser is not known here.";
  const tomorrow = { day: "2026-11-23", time: "08:00" };
  for (const zone of ["Nowhere/X", ""]) {
    const answer = await send({ when: "at", zone, ...tomorrow });
    expect([answer.status, answer.text.includes(refusal)]).toEqual([422, true]);
  }
  expect((await stored()).state).toBe("draft");
  expect((await manager.get(page)).status).toBe(200);
  await send({ when: "at", zone: "Europe/Berlin", ...tomorrow });
  expect((await stored()).scheduledAt?.toISOString()).toBe("2026-11-23T07:00:00.000Z");
});

test("the slug has the words of the page, and its URL is encoded in the email and on pages", async () => {
  const { db, id, start, text, stored } = await openSending();
  await setState(db, id, { subject: 'Grüße, {name, "дорогой друг"}: 日本 {email}' });
  await start();
  const { slug, row } = await stored();
  expect(slug).toBe("gruße-дорогои-друг-日本-your-email-address");
  const url = `/newsletter/${encodeURIComponent(slug)}`;
  const [{ letter = "" } = {}] = await look<{ letter: string }>(
    db,
    "select letter from broadcast_letters where broadcast_row = ?",
    [row],
  );
  expect(letter).toContain(url);
  expect(letter).not.toContain(`/newsletter/${slug}`);
  await setState(db, id, { state: "sent", finishedAt: new Date() });
  expect(await text()).toContain(`href="${url}"`);
});

test("above a hundred their number is typed, as it is when it is sent", async () => {
  const { db, page, send, stored, text } = await openSending({ people: 101 });
  expect(await text(`${page}/send`)).toContain("Enter 101 to confirm");
  const wrong = await send({ typed: "110" });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain("You entered 110. There are 101 people: enter that number.");
  await addPeople(db, 1_000);
  expect((await send({ typed: "101" })).text).toContain("There are 1,101 people");
  await send({ typed: "1,101" });
  expect(await stored()).toMatchObject({ state: "scheduled", audience: 1_101 });
});

test("a draft that was changed after it was reviewed is reviewed again, and a second confirmation changes nothing", async () => {
  const { send, stored } = await openSending();
  const changed = await send({ version: "7" });
  expect(changed.status).toBe(422);
  expect(changed.text).toContain("changed in the meantime");
  await send();
  const { version } = await stored();
  expect((await send()).status).toBe(303);
  expect((await stored()).version).toBe(version);
});

test("of two managers who confirm, the second sees who was first", async () => {
  const { page, stored, signIn, manager, send } = await openSending();
  const second = await signIn({ email: "ada@example.com", name: "Ada" });
  const question = await (await second.get(`${page}/send`)).text();
  expect(question).toContain(`<a href="${page}"><svg`); // back to the draft, on a page of its own
  const answer = { version: "1", when: "now", zone: "UTC", day: "", time: "", typed: "", fine: warnings };
  const answers = await Promise.all([manager, second].map((each) => each.submit(`${page}/send`, answer)));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const isSecond = (await stored()).confirmedBy === manager.manager.email;
  const [winner, loser] = isSecond ? [manager, second] : [second, manager];
  const notice = "Nothing changed: this broadcast was already confirmed by";
  expect(await (await loser.get(page)).text()).toContain(`${notice} ${winner.manager.name}.`);
  expect(await (await winner.get(page)).text()).not.toContain(notice);
  await send();
  expect(await (await manager.get(page)).text()).toContain(`${notice} ${isSecond ? "you" : "Ada"}.`);
});

test("a broadcast being sent is paused, resumed and cancelled, and a late request changes nothing", async () => {
  const { start, submit, stored, text } = await openSending();
  await start();
  expect(await text()).toContain("<progress");
  const { version } = await stored();
  await submit("pause");
  expect((await stored()).state).toBe("paused");
  await submit("pause", { version: String(version) });
  expect(await text()).toContain("Nothing changed: it is paused now.");
  await submit("resume");
  expect((await stored()).state).toBe("sending");
  expect(await text(`${path}/${(await stored()).id}/cancel`)).toContain("Cancel 3 emails");
  await submit("cancel", { confirmed: "yes" });
  expect((await stored()).state).toBe("cancelled");
});

test("cancelling more than a hundred requires their number to be typed", async () => {
  const { start, submit, stored } = await openSending({ people: 150 });
  await start();
  const asked = await submit("cancel", { confirmed: "yes" });
  expect(asked.status).toBe(422);
  expect(asked.text).toContain("Enter 150, the number of people left");
  await submit("cancel", { confirmed: "yes", typed: "150" });
  expect((await stored()).state).toBe("cancelled");
});

test("before cancelling, and after a pause, only what is certain is said", async () => {
  const { db, id, start, page, now, text } = await openSending({ people: 20 });
  await start();
  const bounce = { state: "failed" as const, bouncedAt: now() };
  const recipients = [
    {},
    {},
    {},
    {},
    {},
    {},
    bounce,
    bounce,
    { state: "claimed" as const },
    { state: "claimed" as const },
  ];
  await addRecipients(db, id, recipients);
  const flight = "update broadcast_batches set state = 'open', count = 2, lease_until = ?";
  await look(db, flight, [now().getTime() + minute]);
  const question = async () => (await text(`${page}/cancel`)).replace(/<[^>]+>/g, " ");
  expect(await question()).toContain("The provider accepted 6 emails and refused 2.");
  expect(await question()).toContain("2 emails were still on the way to the provider, which may accept them.");
  expect(await question()).toContain("Cancel 10 emails");
  await setState(db, id, { state: "paused", stateReason: "manager" });
  const paused = await text();
  expect(paused).toContain("Send to the other 10");
  expect(paused).toContain("2 emails were still on the way to the provider, which may accept them.");
  await look(db, "update broadcast_batches set count = 1");
  for (const page of [await question(), await text()])
    expect(page).toContain("1 email was still on the way to the provider, which may accept it.");
  await look(db, "update broadcast_recipients set state = 1 where state = 0");
  await look(db, "update broadcast_batches set state = 'accepted', lease_until = null");
  expect(await text()).toContain("Send to the other 10"); // their response changes nothing about the others
  expect(await question()).toContain("The provider accepted 8 emails and refused 2.");
});

test("by SMTP, the figures of a page count nobody twice, and the safety limits say what is compared", async () => {
  const { db, id, start, page, now, text } = await openSending({ people: 30 });
  await start();
  const bounce = { state: "failed" as const, bouncedAt: now(), error: "5.1.1 No such user" };
  await addRecipients(db, id, [...Array.from({ length: 16 }, () => ({})), bounce, bounce, bounce, bounce]);
  const shown = async () => (await text()).replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  const words = async (path: string) => (await text(path)).replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  const running = await shown();
  expect(running).toContain("Addresses that do not exist 4 of 20, 20% · pauses above 8%");
  expect(running).toContain("Complained Not known · pauses above 0.3%");
  expect(running).toContain(
    "Accepted 16 by the provider Refused 4 by the provider Uncertain 0 all answered Unsubscribed first 0",
  );
  expect(running).toContain("Waiting 10 for their turn Delivered Not known no reports Bounced Not known no reports");
  await setState(db, id, { state: "sent", finishedAt: now(), cursor: 99 });
  const report = await shown();
  expect(report).toContain(
    "Recipients 30 Accepted by the provider 16 Refused by the provider 4 Uncertain 0 Unsubscribed first 10",
  );
  expect(report).toContain(
    "Delivered Not known Bounced, permanent Not known Bounced, temporary Not known No report yet 16",
  );
  expect(report).toContain("Refused by the provider 4 Address does not exist 4 Other reasons 0");
  expect(await words(path)).toContain("4 refused");
  expect(await words(path)).not.toContain("bounced");
  const refused = await words(`${page}/recipients?outcome=failed`);
  expect(refused.match(/Refused 5\.1\.1/g)).toHaveLength(4);
  expect((await words(`${page}/recipients?outcome=nonexistent`)).match(/Refused 5\.1\.1/g)).toHaveLength(4);
  expect(await words(`${page}/recipients?outcome=bounced`)).toContain("No recipients");
});

test("after the brakes, or a restored backup, resuming needs a tick", async () => {
  const { db, id, start, submit, stored, text } = await openSending();
  await start();
  for (const [stateReason, words] of [
    ["bounces", "I have reviewed these addresses"],
    ["restored", "Some people may get it twice"],
  ] as const) {
    await setState(db, id, { state: "paused", stateReason });
    expect(await text()).toContain(words);
    await submit("resume");
    expect((await stored()).state).toBe("paused");
    await submit("resume", { reviewed: "yes" });
    expect((await stored()).state).toBe("sending");
  }
});

test("progress says what it has to say at every tenth, and the page follows when the state changes", async () => {
  const { db, id, page, start, manager, submit } = await openSending({ people: 10 });
  await start();
  await addRecipients(db, id, [{}, {}, {}]);
  const look = async () => manager.get(`${page}/run?state=sending`, { "hx-request-type": "partial" } as never);
  const running = await look();
  expect(running.headers.get("hx-retarget")).toBeNull();
  expect(await running.text()).toContain('data-said="30% sent"');
  await submit("pause");
  const paused = await look();
  expect(paused.headers.get("hx-retarget")).toBe("#broadcast");
  expect(await paused.text()).toContain("Paused by a manager.");
});

test("a pause by the provider is explained, and no one has to act", async () => {
  const { db, id, start, now, text } = await openSending();
  await start();
  const until = new Date(now().getTime() + 5 * minute);
  await setState(db, id, { pausedUntil: until, pausedFor: "daily-quota" });
  expect(await text()).toContain("the provider’s daily quota is used up");
});

test("what no one reported is not known, and never zero", async () => {
  const { db, id, start, text, page } = await openSending();
  await start();
  await addRecipients(db, id, [{}, {}]);
  await setState(db, id, { state: "sent", finishedAt: new Date() });
  const report = await text();
  expect(report).toContain("Nothing has been reported about the accepted emails");
  expect(report).not.toMatch(/Bounced[^<]*<\/dt><dd class="value">0/);
  expect(await text(path)).toContain("Not known");
  await addRecipients(db, id, []);
  await setState(db, id, { state: "sent" });
  expect(await text(page)).toContain("Not known");
});

test("the account of a report adds up, and each line leads to its recipients", async () => {
  const { db, id, start, text, page, now } = await openSending({ people: 6 });
  await start();
  await addRecipients(db, id, [
    { deliveredAt: now() },
    { bouncedAt: now(), error: "5.1.1 No such user" },
    { state: "uncertain" },
    { state: "failed", error: "550 refused" },
    { deliveredAt: now(), complainedAt: now() },
  ]);
  await setState(db, id, { state: "sent", finishedAt: now() });
  const cells = [...(await text()).matchAll(/<td class="num">([^<]*)<\/td>/g)].map(([, count]) => count);
  expect(cells).toEqual(["6", "3", "1", "1", "1", "1", "0", "1", "3", "2", "1", "0", "0", "2", "0", "1"]);
  const report = await text();
  expect([...report.matchAll(/<th scope="rowgroup"[^>]*>([^<]+)</g)].map(([, act]) => act)).toEqual([
    "Handed over",
    "Arrived",
    "Afterwards",
  ]);
  const aside = [...report.matchAll(/<tr class="part zero"><th scope="row">([^<]+)</g)].map(([, name]) => name);
  expect(aside).toEqual(["Address does not exist", "Bounced, temporary", "No report yet", "Unsubscribed"]);
  expect(report).toContain("Show 4 outcomes that no one had");
  const bounced = await text(`${page}/recipients?outcome=bounced`);
  for (const words of ["p2@example.com", "5.1.1 No such user"]) expect(bounced).toContain(words);
  expect(bounced).not.toContain("p1@example.com");
  expect(await text(`${page}/recipients?q=P4@`)).toContain("550 refused");
});

test("recipients are read in pages, and exported as CSV with a word in the audit log", async () => {
  const { db, id, start, manager, page, text, actions } = await openSending({ people: 130 });
  await start();
  await addRecipients(
    db,
    id,
    Array.from({ length: 130 }, () => ({})),
  );
  const first = await text(`${page}/recipients`);
  expect(first).toContain("p100@example.com");
  expect(first).not.toContain("p101@example.com");
  const next =
    /id="page-next"[^>]*|href="([^"]*after=\d+)"/.exec(first)?.[1] ?? /href="([^"]*after=\d+)"/.exec(first)?.[1];
  expect(await text(next ?? "")).toContain("p101@example.com");
  const file = await manager.get(`${page}/recipients/export.csv`);
  expect((await file.text()).trim().split("\n")).toHaveLength(131);
  expect((await actions())[0]).toBe("broadcast.export");
  await look(db, "delete from broadcast_recipients"); // after 13 months
  await setState(db, id, { state: "sent", detailGoneAt: new Date(), audience: 140 });
  const figures = (await (await manager.get(`${page}/recipients/export.csv`)).text()).trim().split("\r\n").slice(1);
  expect(figures.map((line) => line.split(",").slice(0, 3))).toEqual([
    ["", "accepted", "130"],
    ["", "left", "10"],
  ]);
});

test("uncertain ones are sent again or left, failed ones tried again", async () => {
  const { db, id, start, submit, stored, text } = await openSending();
  await start();
  await addRecipients(db, id, [{}, { state: "uncertain" }, { state: "failed" }]);
  await setState(db, id, { state: "sent", finishedAt: new Date(), cursor: 99 });
  const report = await text();
  for (const words of ["It is not known whether 1 person got it.", "The provider refused 1 email."])
    expect(report).toContain(words);
  await submit("leave");
  expect(await text()).not.toContain("It is not known whether");
  await submit("resend", { to: "failed" });
  expect((await stored()).state).toBe("sending");
});

test("people who joined since get a copy, without those who got the first one", async () => {
  const { db, id, start, submit, manager, page } = await openSending({
    segment: {
      v: 2,
      all: [
        { field: "source", is: "any", of: ["blog"] },
        { field: "joined", is: "from", of: "1970-01-01" },
      ],
    },
  });
  await start();
  await setState(db, id, { state: "sent", finishedAt: new Date() });
  const { location } = await submit("newcomers");
  const draft = await withContent(db, location?.split("/").at(-1) ?? "");
  expect(draft).toMatchObject({ state: "draft", subject: "Rain", content: "It rained." });
  expect(JSON.parse(draft?.segment ?? "")).toEqual({
    v: 2,
    all: [
      { field: "broadcast", is: "notGot", of: id },
      { field: "source", is: "any", of: ["blog"] },
    ],
  });
  expect(await (await manager.get(location ?? page)).text()).toContain(`did not get “Rain” (…${id.slice(-6)})`);
});

test("where it can be read is changed after it was sent", async () => {
  const { start, submit, stored, db, id } = await openSending();
  await start();
  await setState(db, id, { state: "sent", finishedAt: new Date() });
  await submit("archive", { archive: "none" });
  expect((await stored()).archive).toBe("none");
});

test("the overview says what is being sent, and first what is paused", async () => {
  const { db, id, start, text } = await openSending();
  await start();
  await addRecipients(db, id, [{}]);
  const shown = async (path: string) => (await text(path)).replace(/<[^>]+>/g, "");
  expect(await text("/dashboard")).toContain('data-poll="/dashboard/running"');
  for (const path of ["/dashboard", "/dashboard/running"])
    expect(await shown(path)).toContain("RainSending1 of 3 peopleView progress");
  await setState(db, id, { state: "paused", stateReason: "complaints" });
  expect(await shown("/dashboard")).toContain("“Rain” is paused: too many complaints. 1 of 3 emails were accepted.");
  expect(await shown("/dashboard/broadcasts")).toContain("Paused: too many complaints");
  await setState(db, id, { state: "paused", stateReason: "manager" });
  expect(await shown("/dashboard")).toContain("“Rain” is paused by a manager. 1 of 3 emails were accepted.");
  expect(await shown("/dashboard/broadcasts")).toContain("Paused by a manager");
  expect(await text("/dashboard/running")).toBe('<div id="running" class="stack wide"></div>'); // and stops polling
});

test("what is wrong in the post of a broadcast leads to the post, beside the text and in the question", async () => {
  const { manager, text } = await openSending();
  const fields = { title: "Tides", content: "Low.\n\n![](https://images.example/a.png)" };
  const post = (await manager.submit("/dashboard/posts/new", fields)).headers.get("location") ?? "";
  const from = post.replace("/posts/", "/broadcasts/from-post/");
  const page = (await manager.submit(from, {})).headers.get("location") ?? "";
  for (const here of [page, `${page}/send`])
    expect(await text(here)).toContain(`<a href="${post}#at=10">Post, line 3</a>`);
});

test("a confirmed post is read as it was confirmed, and its page says that there is a newer one", async () => {
  const { db, now, config, manager, text } = await openSending();
  const by = { actor: "ada@example.com" };
  const fields = {
    title: "Tides",
    slug: "",
    excerpt: "",
    content: "The first text.",
    coverImage: "",
    author: "",
    tags: [],
  };
  const created = await postEdits.create(db, { ...fields, published: false, publishedAt: null }, by, now());
  if (created.outcome !== "saved") throw new Error("The post was not created");
  const page = (await manager.submit(`${path}/from-post/${created.post.id}`, {})).headers.get("location") ?? "";
  const id = page.split("/").at(-1) ?? "";
  await confirmBroadcast({ config, db }, id, { at: new Date(now().getTime() + minute), by }, now());
  const change = { id: created.post.id, version: 1, typed: { fields: {}, content: "" }, keepsDraft: false };
  await postEdits.edit(
    db,
    { ...change, fields: { ...fields, content: "The second text.", publishedAt: null } },
    by,
    now(),
  );
  expect(await text(page)).toContain("Take the new text");
  expect(await text(`${page}/preview?as=text`)).toContain("The first text.");
});

test("a report is broken down by source, and by days in the manager's time zone", async () => {
  const { db, id, start, clock, now, text, page } = await openSending();
  await subscribers.subscribe(db, { email: "q@example.com", source: "blog" }, { via: "form" }, now());
  await start();
  const [first, second] = [2, 1].map((days) => new Date(clock.time - days * 86_400_000));
  await addRecipients(db, id, [
    { deliveredAt: first },
    { deliveredAt: second },
    { bouncedAt: first },
    { deliveredAt: second },
  ]);
  // Among 60,000 emails they would be read in several pieces
  await look(db, 'update broadcast_recipients set "row" = "row" * 15000');
  await look(db, "update broadcast_batches set last_recipient = last_recipient * 15000");
  await setState(db, id, { state: "sent", startedAt: first, finishedAt: now() });
  const rows = [...(await text(`${page}/figures`)).matchAll(/<th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g)];
  expect(rows.map(([, name, cells = ""]) => [name, ...[...cells.matchAll(/>(\d+)</g)].map(([, n]) => n)])).toEqual([
    ["No source", "3", "2", "1", "0", "0"],
    ["blog", "1", "1", "0", "0", "0"],
    ["19 Nov 2026", "1", "1", "0", "0"],
    ["20 Nov 2026", "2", "0", "0", "0"],
    ["21 Nov 2026", "0", "0", "0", "0"],
  ]);
});

test("the report says the day of its beginning and end once, if they are the same", async () => {
  const { db, id, text } = await openSending();
  const sent = (startedAt: string | null, finishedAt: string) => {
    const times = { startedAt: startedAt ? new Date(startedAt) : null, finishedAt: new Date(finishedAt) };
    return setState(db, id, { state: "sent", ...times });
  };
  await sent("2026-10-25T08:00:00Z", "2026-10-25T08:41:00Z");
  expect(await text()).toContain("25 Oct 2026, 08:00–08:41, to: Everyone");
  await sent("2026-10-25T23:00:00Z", "2026-10-26T01:00:00Z");
  expect(await text()).toMatch(/25 Oct 2026, 23:00\s–\s26 Oct 2026, 01:00, to:/);
  await sent(null, "2026-10-25T08:41:00Z");
  expect(await text()).toContain(">25 Oct 2026, 08:41, to: Everyone");
});

test("what people typed is text on every page", async () => {
  const { db, id, start, manager, submit, text, page } = await openSending();
  const hostile = `"><img src=x onerror=alert(1)>`;
  await subscribers.subscribe(db, { email: "x@example.com", source: hostile }, { via: "form" }, new Date());
  await setState(db, id, { subject: hostile, preheader: hostile, fromName: hostile });
  const pages = [path, page, `${page}/audience`, `${page}/send`, `${page}/preview?as=html`, `${page}/preview?as=page`];
  for (const at of pages) expect([at, await text(at)]).toEqual([at, expect.not.stringContaining("<img src=x")]);
  await start();
  await addRecipients(db, id, [{}, {}, {}, { state: "failed", error: hostile }]);
  for (const state of ["sending", "paused", "sent"] as const) {
    await setState(db, id, { state, stateDetail: hostile, stateReason: "refused" });
    for (const at of [page, `${page}/recipients`, `${page}/figures`, "/dashboard"])
      expect([at, await text(at)]).toEqual([at, expect.not.stringContaining("<img src=x")]);
  }
  expect((await manager.get(page)).status).toBe(200);
  await submit("copy");
});

test("a segment that was changed after a broadcast to it was scheduled is said, and its draft takes the new one", async () => {
  const { db, now, manager, page, stored, submit } = await openSending({ people: 3 });
  const by = { actor: manager.manager.email };
  const of = (address: string): Segment => ({ v: 2, all: [{ field: "source", is: "any", of: [address] }] });
  const saved = await saveSegment(db, { name: "Friends", definition: of("shop") }, by, now());
  if (saved.outcome !== "saved") throw new Error("The segment is missing");
  const { row, id, version } = saved.segment;
  await look(db, "update broadcasts set segment_row = ?, segment = ?", [row, JSON.stringify(of("shop"))]);
  const shown = async () => (await manager.get(page)).text();
  await setState(db, (await stored()).id, { state: "scheduled", scheduledAt: new Date(now().getTime() + 60 * minute) });
  expect(await shown()).not.toContain("was changed after you confirmed");
  await changeSegment(db, { id, version }, { definition: of("blog") }, by, now());
  expect(await shown()).toContain("The segment “Friends” was changed after you confirmed.");
  expect((await submit("unschedule")).status).toBe(303);
  expect(await stored()).toMatchObject({ state: "draft", segment: JSON.stringify(of("blog")) });
});
