import { expect, test } from "bun:test";
import { type Broadcast, byId } from "../../../db/broadcasts/broadcasts";
import { create } from "../../../db/broadcasts/edit";
import { promote } from "../../../db/broadcasts/sending/promote";
import { ofPost } from "../../../db/broadcasts/with-post";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as postEdits from "../../../db/posts/edit";
import { confirmBroadcast } from "../../broadcasts/freeze";
import { testService } from "../../../test/support/service";

const path = "/dashboard/calendar";
const blank = { slug: "", excerpt: "", content: "Wet.", coverImage: "", author: "", tags: [], published: true };
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };

/** A service on 24 November 2026, with a subscriber and a manager. */
async function openCalendar() {
  const service = await testService();
  const { db, now, clock, config } = service;
  clock.time = Date.parse("2026-11-24T12:00:00Z");
  const manager = await service.signIn();
  const by = { actor: manager.manager.email };
  await subscribers.subscribe(db, { email: "p@example.com" }, { via: "form" }, now());
  /** A released post, dated at this time. */
  async function post(title: string, publishedAt: string) {
    const created = await postEdits.create(db, { ...blank, title, publishedAt: new Date(publishedAt) }, by, now());
    if (created.outcome !== "saved") throw new Error(created.outcome);
    return created.post;
  }
  async function broadcast(subject: string, at: string): Promise<Broadcast> {
    const fields = { subject, preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "Wet." };
    const { id } = await create(db, { source: { kind: "own" }, fields }, by, now());
    const confirmed = await confirmBroadcast({ config, db }, id, { at: new Date(at), by }, now());
    if (confirmed.outcome !== "changed") throw new Error(confirmed.outcome);
    return confirmed.broadcast;
  }
  /** The titles on each day of a page. */
  async function days(query = "") {
    const page = await (await manager.get(`${path}${query}`)).text();
    const cells = [...page.matchAll(/<td data-day="([\d-]+)"(.*?)<\/td>/gs)];
    return Object.fromEntries(
      cells.flatMap(([, day = "", cell = ""]) => {
        const titles = [...cell.matchAll(/<span class="what">([^<]*)/g)].map(([, title]) => title);
        return titles.length ? [[day, titles]] : [];
      }),
    );
  }
  const move = async (fields: Record<string, string>) => (await manager.submit(`${path}/move`, fields)).status;
  const stored = async (id: string) => (await postEdits.byId(db, id))?.publishedAt?.toISOString();
  const notice = async () => (await manager.get(path)).text();
  return { ...service, clock, manager, by, post, broadcast, days, move, stored, notice };
}

test("a month has what goes out and what went out, each on its day", async () => {
  const { post, broadcast, days } = await openCalendar();
  await post("Went out", "2026-11-02T09:00:00Z");
  await post("Later", "2026-11-26T08:00:00Z");
  await post("Next year", "2027-02-01T08:00:00Z");
  await broadcast("Letter", "2026-11-26T07:00:00Z");
  expect(await days()).toEqual({ "2026-11-02": ["Went out"], "2026-11-26": ["Letter", "Later"] });
  expect(await days("?month=2027-02")).toEqual({ "2027-02-01": ["Next year"] });
});

test.each(["?month=2026-13", "?month=0000-01", "?month=x"])("%s shows this month", async (query) => {
  const { post, days } = await openCalendar();
  await post("Later", "2026-11-26T08:00:00Z");
  expect(await days(query)).toEqual({ "2026-11-26": ["Later"] });
});

test("what is scheduled is moved to another day, keeps its time of day, and can be put back", async () => {
  const { post, broadcast, move, stored, manager, db } = await openCalendar();
  const { id, version } = await post("Later", "2026-11-26T08:15:00Z");
  const fields = { kind: "post", id, version: String(version), day: "2026-11-28", month: "2026-11" };
  const answer = await manager.submit(`${path}/move`, fields, htmx);
  const text = await answer.text();
  expect(text).toContain("“Later” moved to 28 Nov 2026, 08:15.");
  expect(text).toContain('id="list"');
  expect(await stored(id)).toBe("2026-11-28T08:15:00.000Z");
  const undo = Object.fromEntries(
    [...(/<form[^>]*>((?:(?!<\/form>).)*)Undo/s.exec(text)?.[1] ?? "").matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  delete undo._token;
  await move(undo);
  expect(await stored(id)).toBe("2026-11-26T08:15:00.000Z");
  const letter = await broadcast("Letter", "2026-11-26T07:00:00Z");
  await move({ kind: "broadcast", id: letter.id, version: String(letter.version), day: "2026-12-01", time: "09:30" });
  expect((await byId(db, letter.id))?.scheduledAt).toEqual(new Date("2026-12-01T09:30:00Z"));
});

test("a scheduled broadcast leads to its date, and what is moved from there is shown in its new month", async () => {
  const { broadcast, manager, db } = await openCalendar();
  const letter = await broadcast("Letter", "2026-11-26T07:00:00Z");
  const change = `${path}/move?kind=broadcast&id=${letter.id}`;
  expect(await (await manager.get(`/dashboard/broadcasts/${letter.id}`)).text()).toContain(
    `href="${change.replace("&", "&amp;")}"`,
  );
  expect(await (await manager.get(change)).text()).toContain(
    `<a class="btn" href="/dashboard/broadcasts/${letter.id}"`,
  );
  const fields = {
    kind: "broadcast",
    id: letter.id,
    version: String(letter.version),
    day: "2027-01-05",
    time: "10:30",
  };
  const moved = await manager.submit(`${path}/move`, fields);
  expect([moved.status, moved.headers.get("location")]).toEqual([303, `${path}?month=2027-01`]);
  expect((await byId(db, letter.id))?.scheduledAt?.toISOString()).toBe("2027-01-05T10:30:00.000Z");
});

test.each([
  ["in the past", { day: "2020-12-10" }],
  ["in no year", { day: "0000-12-10" }],
  ["too far ahead", { day: "2029-01-01" }],
  ["of an older version", { day: "2027-01-05", version: "0" }],
])(
  "a move from elsewhere that is refused, as it is %s, shows the month in which the broadcast is",
  async (_, fields) => {
    const { broadcast, manager, days } = await openCalendar();
    const { id, version } = await broadcast("Letter", "2026-12-03T07:00:00Z");
    const refused = await manager.submit(`${path}/move`, {
      kind: "broadcast",
      id,
      version: String(version),
      time: "10:30",
      ...fields,
    });
    expect(refused.headers.get("location")).toBe(`${path}?month=2026-12`);
    expect(await days("?month=2026-12")).toEqual({ "2026-12-03": ["Letter"] });
  },
);

test("the time of day stays in the manager’s zone when the clock changes in between", async () => {
  const { manager, post, move, stored } = await openCalendar();
  await manager.submit("/dashboard/account/times", { timeZone: "Europe/Berlin", dates: "en-GB" });
  const { id, version } = await post("Later", "2027-03-26T08:00:00Z");
  await move({ kind: "post", id, version: String(version), day: "2027-03-30" });
  expect(await stored(id)).toBe("2027-03-30T07:00:00.000Z");
});

test.each([
  ["the past", { day: "2026-11-20" }, "that time is in the past"],
  ["no day", { day: "2026-02-30" }, "Enter a day and a time"],
  ["another year", { day: "2029-01-01" }, "within the next year"],
  ["an older version", { day: "2026-11-28", version: "0" }, "someone else has changed it"],
])("nothing moves to %s", async (_name, fields, words) => {
  const { post, move, stored, notice } = await openCalendar();
  const { id, version } = await post("Later", "2026-11-26T08:00:00Z");
  await move({ kind: "post", id, version: String(version), ...fields });
  expect(await notice()).toContain(words);
  expect(await stored(id)).toBe("2026-11-26T08:00:00.000Z");
});

test("what went out stays, and so does what is not scheduled", async () => {
  const { post, broadcast, move, stored, notice, db, clock } = await openCalendar();
  const { id, version } = await post("Went out", "2026-11-02T09:00:00Z");
  await move({ kind: "post", id, version: String(version), day: "2026-11-28" });
  expect(await notice()).toContain("no longer scheduled, or already went out");
  expect(await stored(id)).toBe("2026-11-02T09:00:00.000Z");
  const letter = await broadcast("Letter", "2026-11-24T13:00:00Z");
  clock.time = Date.parse("2026-11-24T13:00:00Z");
  await promote(db, undefined, new Date(clock.time));
  await move({ kind: "broadcast", id: letter.id, version: String(letter.version + 1), day: "2026-11-28" });
  expect((await byId(db, letter.id))?.scheduledAt).toEqual(new Date("2026-11-24T13:00:00Z"));
  await move({ kind: "broadcast", id: "nothing", version: "1", day: "2026-11-28" });
  await move({ kind: "post", id: "nothing", version: "1", day: "2026-11-28" });
});

test("a post and its newsletter are one entry, and move together", async () => {
  const { db, now, by, manager, days, move, stored } = await openCalendar();
  const created = await postEdits.create(
    db,
    { ...blank, title: "Both", published: false, publishedAt: null },
    by,
    now(),
  );
  if (created.outcome !== "saved") throw new Error(created.outcome);
  const { id, version } = created.post;
  const at = { when: "at", day: "2026-11-26", time: "08:00", zone: "UTC" };
  const fine = ["simulated", "postal-address", "test"];
  const sheet = { version: String(version), send: "yes", subject: "Both", ...at, fine };
  await manager.submit(`/dashboard/posts/${id}/publish`, sheet as never);
  expect(await days()).toEqual({ "2026-11-26": ["Both"] });
  await move({ kind: "post", id, version: String(version + 1), day: "2026-11-27" });
  const [newsletter] = await ofPost(db, id);
  const moved = "2026-11-27T08:00:00.000Z";
  expect([await stored(id), newsletter?.scheduledAt?.toISOString()]).toEqual([moved, moved]);
  await move({
    kind: "broadcast",
    id: newsletter?.id ?? "",
    version: String(newsletter?.version),
    day: "2026-11-29",
  });
  expect((await ofPost(db, id))[0]?.scheduledAt?.toISOString()).toBe(moved);
});
