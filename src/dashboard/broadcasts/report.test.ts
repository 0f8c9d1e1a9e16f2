import { expect, spyOn, test } from "bun:test";
import { leaveTopic } from "../../../db/newsletter/preferences";
import { changePeople } from "../../../db/newsletter/change-people";
import * as subscribers from "../../../db/newsletter/subscribers";
import { addTopic, allTopics } from "../../../db/newsletter/topics";
import { page as recipientsPage } from "../../../db/broadcasts/report/recipients";
import { confirmedBroadcast } from "../../../test/support/broadcasts/archive";
import { addRecipients, setState } from "../../../test/support/broadcasts/sent";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const day = 86_400_000;
const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

async function sent(options: Parameters<typeof confirmedBroadcast>[2] = {}, people = 3) {
  const service = await testService();
  const { db, now } = service;
  for (let i = 1; i <= people; i++)
    await subscribers.subscribe(db, { email: `p${i}@example.com` }, { via: "form" }, now());
  const broadcast = await confirmedBroadcast(db, now(), options);
  let managers = 0;
  const page = async (path = `/dashboard/broadcasts/${broadcast.id}`) =>
    (await (await service.signIn({ email: `m${++managers}@example.com` })).get(path)).text();
  const report = async () => text(await page());
  return { ...service, broadcast, page, report };
}

test("the report shows by day who read its page and who unsubscribed, each with its own scale and one table", async () => {
  const { db, now, clock, get, counters, broadcast, page, report } = await sent();
  await addRecipients(db, broadcast.id, [{}, {}, {}]);
  const read = async (people: number) => {
    for (let i = 0; i < people; i++)
      await get(`/newsletter/${broadcast.slug}`, { "user-agent": "Firefox" }, `198.51.${i}.1`);
    await counters.flush();
  };
  await read(4);
  expect(await report()).toContain(
    "Today: 4 views of the web page, 0 unsubscribed. The charts start on the second day.",
  );
  clock.time += 2 * day;
  await read(1);
  const [{ row = 0 } = {}] = await look<{ row: number }>(db, "select row from broadcast_recipients order by row");
  await subscribers.unsubscribe(db, "p1@example.com", { via: "link" }, now(), row);
  const shown = await report();
  expect(shown).toContain("5 views of the web page");
  expect(shown).toContain("5 views; the most, 4, on 21 Nov 2026.");
  expect(shown).toContain("readers have not consented. For the same reason no one’s country is looked up");
  expect(shown).toContain("1 unsubscribed; the most, 1, on 23 Nov 2026.");
  expect(shown).toContain("Day Views Unsubscribed 23 Nov 2026 1 1 22 Nov 2026 0 0 21 Nov 2026 4 0");
  expect((await page()).match(/class="plot low"/g)).toHaveLength(2);
  clock.time += 30 * day;
  expect((await page()).match(/<th scope="row">\d+ \w+ 2026/g)).toHaveLength(14);
});

test("a figure leads to the people it counts, if there are any and they are still known", async () => {
  const { db, now, broadcast, page } = await sent();
  await addRecipients(db, broadcast.id, [{}, {}, {}]);
  const link = `<dt><a href="/dashboard/broadcasts/${broadcast.id}/recipients?outcome=unsubscribed">Unsubscribed</a></dt>`;
  expect(await page()).not.toContain(link);
  const [{ row = 0 } = {}] = await look<{ row: number }>(db, "select row from broadcast_recipients order by row");
  await subscribers.unsubscribe(db, "p1@example.com", { via: "link" }, now(), row);
  expect(await page()).toContain(link);
  expect(await page(link.split('"')[1])).toContain("p1@example.com");
});

test("where there is nothing to draw, the report says so in a sentence", async () => {
  const { db, clock, broadcast, page, report } = await sent();
  await addRecipients(db, broadcast.id, [{}]);
  clock.time += 2 * day;
  expect(await report()).toContain("No one viewed the web page or unsubscribed.");
  expect(await page()).not.toContain('class="plot');
});

test("a button leads to the web page, where there is one", async () => {
  const listed = await sent();
  expect(await listed.page()).toContain(
    `href="/newsletter/${listed.broadcast.slug}" target="_blank" rel="noopener" id="web-page"`,
  );
  expect(await (await sent({ archive: "none" })).page()).not.toContain("web-page");
});

test("after cancelling before the first email, nothing is unknown, because nothing was sent", async () => {
  const { db, broadcast, report, page } = await sent({ state: "cancelled" });
  expect(await report()).not.toContain("Not known");
  expect(await report()).toContain("Delivered 0 nothing was sent");
  expect(text(await page("/dashboard/broadcasts?tab=sent"))).not.toContain("Not known");
  expect(await report()).not.toContain("Day by day");
  await addRecipients(db, broadcast.id, [{}]);
  await setState(db, broadcast.id, { state: "cancelled" });
  expect(await report()).toContain("Not known"); // one was sent, and nothing was reported about it
});

test("a broadcast that the provider took to everyone has a postmark, and no other has", async () => {
  const { db, broadcast, page } = await sent({}, 3);
  await addRecipients(db, broadcast.id, [{}, {}, {}]);
  expect(await page()).toMatch(/class="postmark"[^]*>\s*21 NOV\s*<[^]*>\s*2026\s*</);
  const none = { accepted: 0, failed: 0, uncertain: 0, simulated: 0 };
  for (const counters of [{ accepted: 2, failed: 1 }, { accepted: 2, uncertain: 1 }, { simulated: 3 }]) {
    await setState(db, broadcast.id, { ...none, ...counters });
    expect([counters, (await page()).includes("postmark")]).toEqual([counters, false]);
  }
});

test("the list says of a broadcast that was only simulated that it was", async () => {
  const { db, broadcast, page, report } = await sent();
  const list = async () => text((await page("/dashboard/broadcasts")).split("<tbody")[1] ?? "");
  await setState(db, broadcast.id, { accepted: 0, simulated: 3 });
  expect([await list(), await report()]).toEqual(Array(2).fill(expect.stringContaining("Simulated")));
  expect(await list()).not.toContain("Sent");
  await setState(db, broadcast.id, { accepted: 3, simulated: 0 });
  expect([await list(), await report()]).toEqual(Array(2).fill(expect.not.stringContaining("Simulated")));
});

/** A broadcast to seven people, of whom six are counted as unsubscribed, each in another way or for no known reason. */
async function left() {
  const service = await sent({}, 7);
  const { db, now, broadcast, clock } = service;
  for (const name of ["Recipes", "News"])
    await addTopic(db, { name, sentence: "", isDefault: false }, { actor: "cli" }, now());
  const topics = { add: await db.read(allTopics), remove: [] };
  const person = await subscribers.byEmail(db, "p3@example.com");
  if (!person) throw new Error("There is no p3");
  await db.write((orm) => changePeople(orm, [{ person, topics }], { via: "preferences" }, now()));
  clock.time += day;
  const unknown = { unsubscribedAt: now() };
  await addRecipients(db, broadcast.id, [
    {},
    {},
    {},
    unknown,
    { ...unknown, state: "uncertain", error: "Timeout" },
    {},
  ]);
  const rows = await look<{ row: number }>(db, "select row from broadcast_recipients order by row");
  const rowOf = (n: number) => rows[n - 1]?.row ?? 0;
  await subscribers.unsubscribe(db, "p1@example.com", { via: "one-click" }, now(), rowOf(1));
  await subscribers.unsubscribe(db, "p2@example.com", { via: "link" }, now(), rowOf(2));
  await look(db, "update subscriber_events set probable_scanner = ? where via = 'link'", [1]);
  const byThem = { email: "p3@example.com", origin: { via: "page" as const }, now: now() };
  await leaveTopic(db, byThem, { slug: "recipes", recipient: rowOf(3) });
  await subscribers.unsubscribe(db, "p6@example.com", { via: "page" }, now(), rowOf(6));
  await look(db, "update broadcast_recipients set complained_at = unsubscribed_at, error = 'Spam' where row = ?", [
    rowOf(6),
  ]);
  clock.time += day;
  await subscribers.unsubscribe(db, "p4@example.com", { via: "page" }, now()); // later, by another email
  return service;
}

test("of those who unsubscribed by a broadcast, its recipients and their export say how, as their own pages do", async () => {
  const { page, broadcast, signIn, db } = await left();
  const list = `/dashboard/broadcasts/${broadcast.id}/recipients`;
  expect(text(await page(`${list}?q=p1@`))).toContain(" 1 recipient ");
  const shown = text(await page(list));
  const reasons = [
    "p1@example.com Unsubscribed Via the email app’s unsubscribe button",
    "p2@example.com Unsubscribed Via the link in an email. Probably a mail scanner",
    "p3@example.com Unsubscribed Topics changed (−Recipes) on the unsubscribe page",
    "p4@example.com Unsubscribed –",
    "p5@example.com Unsubscribed Timeout",
    "p6@example.com Complained Spam",
  ];
  for (const reason of reasons) expect(shown).toContain(reason);
  const file = await (await (await signIn()).get(`${list}/export.csv`)).text();
  expect(file.split("\r\n").map((line) => line.split(",").at(-1))).toEqual([
    "reason",
    "Via the email app’s unsubscribe button",
    "Via the link in an email. Probably a mail scanner",
    "Topics changed (−Recipes) on the unsubscribe page",
    "",
    "Timeout",
    "Spam",
    "",
  ]);
  const person = await subscribers.byEmail(db, "p1@example.com");
  expect(text(await page(`/dashboard/newsletter/${person?.id}`))).toContain(
    "Unsubscribed via the email app’s unsubscribe button",
  );
});

test("a list of recipients says how many there are on all its pages; of a search, how many it has read", async () => {
  const { db, page, broadcast } = await left();
  const more: Parameters<typeof addRecipients>[2] = Array.from({ length: 1_200 }, () => ({
    state: "simulated",
    subscriberRow: null,
  }));
  await addRecipients(db, broadcast.id, more);
  const list = `/dashboard/broadcasts/${broadcast.id}/recipients`;
  const said = async (query: string) => /data-announce>([^<]*)</.exec(await page(`${list}?${query}`))?.[1];
  const [{ all = 0 } = {}] = await look<{ all: number }>(db, `select count(*) "all" from broadcast_recipients`);
  for (const query of ["", "after=100", "after=1150"])
    expect(await said(query)).toBe(`${all.toLocaleString("en")} recipients`);
  for (const query of ["outcome=simulated", "outcome=simulated&after=1150"])
    expect(await said(query)).toBe("1,200 recipients");
  expect(await said("outcome=nonexistent")).toBe("No recipients");
  expect(await said("q=p1@")).toBe("1 recipient");
  await addRecipients(
    db,
    broadcast.id,
    Array.from({ length: 123 }, () => ({ subscriberRow: null })),
  );
  const [first, next] = [
    await page(`${list}?outcome=unreported`),
    () => /after=(\d+)[^>]*id="page-next"/.exec(first)?.[1],
  ];
  expect(first).toContain(">100 and more recipients<");
  expect(await said(`outcome=unreported&after=${next()}`)).toBe("27 more recipients");
});

test("a search for someone who was not a recipient leads to Subscribers; one with an outcome does not say so", async () => {
  const { page, broadcast } = await left();
  const list = `/dashboard/broadcasts/${broadcast.id}/recipients`;
  const lead = `href="/dashboard/newsletter?q=vera%2B1%40example.com"`;
  expect(await page(`${list}?q=vera%2B1@example.com`)).toContain(lead);
  expect(await page(`${list}?q=vera%2B1@example.com&outcome=failed`)).not.toContain(lead);
  expect(await page(`${list}?outcome=failed`)).not.toContain("Search Subscribers");
});

test("who is not listed is called outside the audience only if all who were in it are listed", async () => {
  const { db, now, page, broadcast } = await left();
  const found = async () => text(await page(`/dashboard/broadcasts/${broadcast.id}/recipients?q=vera`));
  const outside = "were not in the audience when it was sent, or have been deleted since. Search Subscribers to see";
  await setState(db, broadcast.id, { state: "sent" });
  expect(await found()).toContain(outside);
  for (const incomplete of [
    { state: "sending" },
    { state: "paused" },
    { state: "cancelled" },
    { detailGoneAt: now() },
    { kind: "step" },
  ] as const) {
    await setState(db, broadcast.id, { state: "sent", detailGoneAt: null, kind: "own", ...incomplete });
    const words = await found();
    expect([incomplete, words.includes("in the audience")]).toEqual([incomplete, false]);
    expect(words).toContain("Search Subscribers to see");
  }
});

test("how they unsubscribed is read for all recipients of a page by one query", async () => {
  const { db, broadcast } = await left();
  const reads = spyOn(db, "read");
  const readsOf = async (size: number) => {
    reads.mockClear();
    const { rows } = await recipientsPage(db, broadcast, {}, { after: 0, size });
    return [rows.filter(({ leaving }) => leaving).length, reads.mock.calls.length];
  };
  const [one, all] = [await readsOf(1), await readsOf(10)];
  expect([one[0], all[0]]).toEqual([1, 4]);
  expect(all[1]).toBe(one[1]);
});
