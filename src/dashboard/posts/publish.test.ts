import { expect, test } from "bun:test";
import { byId } from "../../../db/broadcasts/broadcasts";
import { promote } from "../../../db/broadcasts/sending/promote";
import { ofPost } from "../../../db/broadcasts/with-post";
import * as subscribers from "../../../db/newsletter/subscribers";
import { applyAction } from "../../../db/posts/bulk";
import * as postEdits from "../../../db/posts/edit";
import { look } from "../../../test/support/look";
import { set } from "../../../test/support/settings";
import { testService } from "../../../test/support/service";

const minute = 60_000;
const hour = 60 * minute;
const accepted = ["simulated", "postal-address", "test"];
const blank = { slug: "", excerpt: "Three sensors", coverImage: "", author: "", tags: [], published: false };

/** A service with three subscribers, a manager in this zone, and a draft. */
async function openPublishing(zone = "UTC") {
  const service = await testService({ BLOG_URL: "https://blog.example" });
  const { db, now, clock } = service;
  clock.time = Date.parse("2026-11-24T12:00:00Z");
  const manager = await service.signIn();
  const by = { actor: manager.manager.email };
  for (let i = 1; i <= 3; i++) await subscribers.subscribe(db, { email: `p${i}@example.com` }, { via: "form" }, now());
  const created = await postEdits.create(
    db,
    { ...blank, title: "Rain", content: "Wet.", publishedAt: null },
    by,
    now(),
  );
  if (created.outcome !== "saved") throw new Error(created.outcome);
  const { id } = created.post;
  const path = `/dashboard/posts/${id}/publish`;
  const stored = async () => {
    const post = await postEdits.byId(db, id);
    if (!post) throw new Error("The post is gone");
    return post;
  };
  /** Answers the sheet as it stands. */
  async function answer(fields: Record<string, string | string[]> = {}) {
    const { version } = await stored();
    const answer = await manager.submit(path, { version: String(version), zone, ...fields } as never);
    return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() };
  }
  /** What the sheet says will happen. */
  const said = async (fields: Record<string, string | string[]>) => (await answer({ do: "show", ...fields })).text;
  /** Also as a newsletter. */
  const sent = (fields: Record<string, string | string[]> = {}) =>
    answer({ send: "yes", subject: "On rain", preheader: "", fine: accepted, ...fields });
  const newsletter = async () => (await ofPost(db, id))[0];
  const change = (action: "unpublish" | "trash") => applyAction(db, { action, selection: { ids: [id] } }, by, now());
  return { ...service, clock, manager, by, id, path, stored, answer, said, sent, newsletter, change };
}

const at = (day: string, time: string) => ({ when: "at", day, time });

test("a draft goes live now, at a time, or now with an earlier date, and the button says which", async () => {
  const { said, answer, stored } = await openPublishing();
  const now = await said({ when: "now" });
  expect(now).toContain("Goes live immediately at https://blog.example/posts/rain.");
  expect(now).toContain(">Publish</button>");
  const later = await said(at("2026-11-26", "08:00"));
  expect(later).toContain("Goes live at 26 Nov 2026, 08:00");
  expect(later).toContain("That is a Thursday.");
  expect(later).toContain(">Schedule</button>");
  const dated = await said(at("2024-03-02", "09:00"));
  expect(dated).toContain("dated 2 Mar 2024, 09:00");
  expect(dated).toContain(">Publish</button>");
  expect(await stored()).toMatchObject({ published: false, publishedAt: null });
  expect((await answer(at("2024-03-02", "09:00"))).status).toBe(303);
  expect(await stored()).toMatchObject({ published: true, publishedAt: new Date("2024-03-02T09:00:00Z") });
});

test("the notice leads to what readers see from now on, and to nothing that they do not see yet", async () => {
  const { answer, manager } = await openPublishing();
  const page = async (fields: Record<string, string>) =>
    (await manager.get((await answer(fields)).location ?? "")).text();
  expect(await page(at("2026-11-26", "08:00"))).toContain("“Rain” scheduled.</p><button");
  const link = /“Rain” published\.<\/p><a [^>]*href="https:\/\/blog\.example\/posts\/rain"[^>]*>View live</;
  expect(await page({ when: "now" })).toMatch(link);
  expect(await page(at("2026-11-20", "08:00"))).toContain("“Rain” saved.</p><button"); // nothing new
});

test("a time is said in the site’s zone and in the manager’s", async () => {
  const { said, db, by, now } = await openPublishing();
  await set(db, "timeZone", "Europe/Oslo", { by: by.actor }, now());
  const words = await said(at("2026-11-26", "08:00"));
  expect(words).toContain(
    "Goes live at 26 Nov 2026, 09:00 in Oslo, 26 Nov 2026, 08:00 for you, at https://blog.example",
  );
  expect(await said(at("2026-11-26", "08:00"))).toContain("That is a Thursday.");
  expect(await said(at("2026-11-26", "23:30"))).toContain("That is a Thursday for you.");
});

test("a scheduled post is moved, or published now", async () => {
  const { said, answer, stored, clock } = await openPublishing();
  await answer(at("2026-11-26", "08:00"));
  expect(await said(at("2026-11-27", "08:00"))).toContain(">Save time</button>");
  await answer(at("2026-11-27", "08:00"));
  expect((await stored()).publishedAt).toEqual(new Date("2026-11-27T08:00:00Z"));
  expect(await said({ when: "now" })).toContain(">Publish now</button>");
  await answer({ when: "now" });
  expect((await stored()).publishedAt).toEqual(new Date(clock.time));
});

test("a published post’s date is corrected, but never to the future", async () => {
  const { said, answer, stored } = await openPublishing();
  await answer({ when: "now" });
  expect(await said(at("2026-11-20", "08:00"))).toContain(">Save date</button>");
  await answer(at("2026-11-20", "08:00"));
  expect(await stored()).toMatchObject({ published: true, publishedAt: new Date("2026-11-20T08:00:00Z") });
  const refused = await answer(at("2026-12-01", "08:00"));
  expect([refused.status, refused.text]).toEqual([
    422,
    expect.stringContaining("A future date would take this post offline. Unpublish it first."),
  ]);
  expect((await stored()).publishedAt).toEqual(new Date("2026-11-20T08:00:00Z"));
});

test.each([
  ["2027-03-28", "02:30", "The clock skips the time you entered", "2027-03-28T01:30:00Z"],
  ["2027-10-31", "02:30", "That time occurs twice", "2027-10-31T00:30:00Z"],
])("on %s in Berlin, %s is an hour that the sheet explains", async (day, time, words, moment) => {
  const { said, answer, stored } = await openPublishing("Europe/Berlin");
  expect(await said(at(day, time))).toContain(words);
  await answer(at(day, time));
  expect((await stored()).publishedAt).toEqual(new Date(moment));
});

test.each([at("", ""), at("2026-02-30", "09:00"), { ...at("2026-11-26", "08:00"), zone: "Nowhere" }])(
  "%j is no time: nothing happens",
  async (fields) => {
    const { answer, stored } = await openPublishing();
    expect((await answer(fields)).status).toBe(422);
    expect((await stored()).published).toBe(false);
  },
);

test("post and newsletter are scheduled together, once each warning is accepted", async () => {
  const { said, sent, stored, newsletter } = await openPublishing();
  const words = await said({ ...at("2026-11-26", "08:00"), send: "yes", subject: "On rain" });
  expect(words).toContain("3 people get it as an email then. Neither goes out without the other.");
  expect(words).toContain(">Schedule both</button>");
  const refused = await sent({ ...at("2026-11-26", "08:00"), fine: ["test"] });
  expect(refused.text).toContain("Confirm: No email provider is configured");
  expect([(await stored()).published, (await newsletter())?.state]).toEqual([false, "draft"]);
  expect((await sent(at("2026-11-26", "08:00:30"))).status).toBe(303); // some browsers add seconds
  const moment = new Date("2026-11-26T08:00:00Z");
  expect(await stored()).toMatchObject({ published: true, publishedAt: moment });
  const { version } = await stored();
  expect(await newsletter()).toMatchObject({
    state: "scheduled",
    scheduledAt: moment,
    subject: "On rain",
    withPost: true,
    postVersion: version,
  });
});

test("more than a hundred people get it only after their number was typed", async () => {
  const { db, now, sent, stored, newsletter } = await openPublishing();
  for (let i = 4; i <= 101; i++)
    await subscribers.subscribe(db, { email: `p${i}@example.com` }, { via: "form" }, now());
  for (const typed of ["", "100"]) expect((await sent({ when: "now", typed })).text).toContain("Enter 101 to confirm");
  expect([(await stored()).published, (await newsletter())?.state]).toEqual([false, "draft"]);
  expect((await sent({ when: "now", typed: "101" })).status).toBe(303);
  expect([(await stored()).published, (await newsletter())?.state]).toEqual([true, "scheduled"]);
});

test("published now, the newsletter starts a minute later", async () => {
  const { db, sent, stored, newsletter, clock } = await openPublishing();
  await sent({ when: "now" });
  expect((await stored()).published).toBe(true);
  await promote(db, undefined, new Date(clock.time + minute - 1));
  expect((await newsletter())?.state).toBe("scheduled");
  await promote(db, undefined, new Date(clock.time + minute));
  expect((await newsletter())?.state).toBe("sending");
});

test("the newsletter follows its post to another time, and back to the drafts", async () => {
  for (const [action, state] of [
    ["unpublish", "draft"],
    ["trash", "draft"],
  ] as const) {
    const { sent, answer, newsletter, change, said } = await openPublishing();
    await sent(at("2026-11-26", "08:00"));
    expect(await said(at("2026-11-28", "09:00"))).toContain("Its newsletter follows.");
    await answer(at("2026-11-28", "09:00"));
    expect((await newsletter())?.scheduledAt).toEqual(new Date("2026-11-28T09:00:00Z"));
    await change(action);
    expect(await newsletter()).toMatchObject({ state, scheduledAt: null, withPost: false });
  }
});

test("published earlier than planned, its newsletter goes out a minute later", async () => {
  const { sent, answer, newsletter, clock } = await openPublishing();
  await sent(at("2026-11-26", "08:00"));
  await answer({ when: "now" });
  expect((await newsletter())?.scheduledAt).toEqual(new Date(clock.time + minute));
});

test("a newsletter whose post is not public when it is due waits for a manager", async () => {
  const { db, sent, newsletter, clock, id } = await openPublishing();
  await sent(at("2026-11-26", "08:00"));
  await look(db, "update posts set published = 0 where id = ?", [id]); // as a restored backup might be
  clock.time = Date.parse("2026-11-26T08:00:00Z");
  await promote(db, undefined, new Date(clock.time));
  expect(await newsletter()).toMatchObject({ state: "paused", stateReason: "post" });
});

test("a newsletter that someone changed meanwhile goes out with nothing", async () => {
  const { db, by, sent, stored, newsletter, now } = await openPublishing();
  await sent({ ...at("2026-11-26", "08:00"), do: "show" });
  const draft = await newsletter();
  if (!draft) throw new Error("No draft");
  const { version } = await stored();
  const stale = { seen: { id: draft.id, version: draft.version - 1 }, to: frozen(now()) };
  const result = await postEdits.publish(db, { id: (await stored()).id, version, broadcast: stale }, by, now());
  expect(result.outcome).toBe("broadcast-changed");
  expect([(await stored()).published, (await byId(db, draft.id))?.state]).toEqual([false, "draft"]);
});
const frozen = (at: Date) => ({ at, audience: 1, frozen: { letter: null, page: null, bytes: null } });

test("a post that was sent says so, and is sent again only by a tick", async () => {
  const { db, sent, said, newsletter, clock, answer, manager, path } = await openPublishing();
  await sent({ when: "now" });
  await promote(db, undefined, new Date(clock.time + minute));
  clock.time += hour;
  const sheet = await (await manager.get(path)).text();
  expect(sheet).toContain("This post was sent as a newsletter");
  expect(sheet).toContain("Send it again as a newsletter");
  await answer({ when: "at", day: "2026-11-24", time: "12:00" });
  expect((await newsletter())?.state).toBe("sending");
  expect(await said({ ...at("2026-11-24", "12:00"), send: "yes", subject: "Again" })).toContain("Save and send");
});

test("a test of the newsletter is sent to whoever asks, and nothing else happens", async () => {
  const { sent, stored, newsletter } = await openPublishing();
  const asked = await sent({ when: "now", do: "test" });
  expect([asked.status, asked.text]).toEqual([
    200,
    expect.stringContaining("Test queued for owner@example.com. It will be simulated."),
  ]);
  const draft = await newsletter();
  expect([draft?.state, draft?.testedVersion]).toEqual(["draft", draft?.version]);
  expect((await stored()).published).toBe(false);
});

test("recipients are chosen on their page, which the draft keeps", async () => {
  const { sent, newsletter } = await openPublishing();
  const { location } = await sent({ when: "now", do: "choose" });
  expect(location).toBe(`/dashboard/broadcasts/${(await newsletter())?.id}/audience`);
});
