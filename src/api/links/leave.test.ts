import { expect, test } from "bun:test";
import { changePeople } from "../../../db/newsletter/change-people";
import * as scanner from "../../../db/newsletter/scanner";
import { addTopic, allTopics } from "../../../db/newsletter/topics";
import * as subscribers from "../../../db/newsletter/subscribers";
import { confirmedBroadcast } from "../../../test/support/broadcasts/archive";
import { testService } from "../../../test/support/service";
import { unsubscribeLink } from "../../security/links";
import { look } from "../../../test/support/look";

const minute = 60_000;

/** A service that has just sent its subscribers a broadcast; the links in their emails, and the counts. */
async function sentTo(...people: string[]) {
  const service = await testService();
  const { config, db, clock, now } = service;
  const { row } = await confirmedBroadcast(db, now(), { state: "sent" });
  const links = new Map<string, string>();
  for (const [i, email] of people.entries()) {
    await subscribers.subscribe(db, { email }, { via: "form" }, now());
    const subscriber = await subscribers.byEmail(db, email);
    await look(
      db,
      "insert into broadcast_recipients (row, broadcast_row, subscriber_row, batch_row, state, accepted_at) values (?, ?, ?, 1, 1, ?)",
      [i + 1, row, subscriber?.row ?? 0, clock.time],
    );
    links.set(email, `${unsubscribeLink(config, email).replace("/unsubscribe?", "/leave?")}&b=${i + 1}`);
  }
  const counted = async () => (await look<{ n: number }>(db, "select unsubscribed n from broadcasts"))[0]?.n;
  const stateOf = async (email: string) => (await subscribers.byEmail(db, email))?.state;
  return { ...service, link: (email: string) => links.get(email) ?? "", counted, stateOf };
}

const ada = "ada@reader.example";

test("within 30 minutes of the email the link asks for confirmation, and its button unsubscribes and is counted", async () => {
  const { get, send, link, stateOf, counted, clock } = await sentTo(ada);
  clock.time += 30 * minute - 1;
  const asked = await get(link(ada));
  const page = await asked.text();
  expect([asked.status, await stateOf(ada)]).toEqual([200, "active"]);
  expect(page).toContain("Nothing has been changed yet.");
  const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(action).toStartWith("/api/newsletter/leave?");
  const left = await send(action, { method: "POST" });
  expect([left.status, await stateOf(ada), await counted()]).toEqual([200, "unsubscribed", 1]);
});

test("after 30 minutes the link acts immediately, once, and says so again afterwards", async () => {
  const { get, link, stateOf, counted, clock } = await sentTo(ada);
  clock.time += 30 * minute;
  expect(await (await get(link(ada))).text()).toContain("You’re unsubscribed");
  expect(await (await get(link(ada))).text()).toContain("already unsubscribed");
  expect([await stateOf(ada), await counted()]).toEqual(["unsubscribed", 1]);
});

test("who comes back is led on to what they receive", async () => {
  const { get, send, config } = await sentTo(ada);
  const link = unsubscribeLink(config, ada);
  await send(link, { method: "POST" });
  const back = link.replace("/unsubscribe?", "/subscribe-again?");
  await send(back, { method: "POST" });
  const [, own = ""] = /href="(\/newsletter\/preferences[^"]+)"/.exec(await (await get(back)).text()) ?? [];
  expect(await (await get(own.replaceAll("&amp;", "&"))).text()).toContain("a•••@reader.example");
});

test("so does the link of an email without a report yet; someone else's email neither asks nor counts", async () => {
  const { get, link, db, stateOf, counted } = await sentTo(ada, "grace@reader.example");
  await look(db, "update broadcast_recipients set accepted_at = null, state = 0");
  expect(await (await get(link(ada))).text()).toContain("Nothing has been changed yet.");
  const others = link(ada).replace(/&b=1$/, "&b=2");
  expect(await (await get(others)).text()).toContain("You’re unsubscribed");
  expect([await stateOf(ada), await counted()]).toEqual(["unsubscribed", 0]);
});

test.each(["HEAD", "GET"])(
  "a passive %s changes nothing, and wrong tokens get the same bytes for everybody",
  async (method) => {
    const { send, link, stateOf, clock } = await sentTo(ada);
    clock.time += 60 * minute;
    await send(link(ada), { method, headers: { "sec-purpose": "prefetch" } });
    expect(await stateOf(ada)).toBe("active");
    const forged = [link(ada), link(ada).replace("ada%40", "nobody%40")].map((url) =>
      url.replace(/token=./, "token=_"),
    );
    const answers = await Promise.all(forged.map((url) => send(url, { method })));
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    const [first, second] = await Promise.all(answers.map((answer) => answer.text()));
    expect(first).toBe(second ?? "");
    for (const b of ["0", "-1", "x", "1e3", "99999999999999999999", "1&b=1"])
      expect((await send(link(ada).replace(/&b=1$/, `&b=${b}`), { method: "HEAD" })).status).toBe(200);
  },
);

test("the email app's button is on record as such, and its email is counted, for everything or a topic alone", async () => {
  const { db, now, send, link, counted } = await sentTo(ada);
  for (const name of ["Field notes", "Workshops"])
    await addTopic(db, { name, sentence: "", isDefault: false }, { actor: "cli" }, now());
  const topics = { add: await db.read(allTopics), remove: [] };
  const { row, id } = (await subscribers.byEmail(db, ada)) ?? { row: 0, id: "" };
  await db.write((orm) => changePeople(orm, [{ person: { row, id }, topics }], { via: "preferences" }, now()));
  const button = link(ada).replace("/leave?", "/unsubscribe?");
  const pressed = () => look(db, "select kind from subscriber_events where via = 'one-click' order by kind");
  const press = (url: string) => send(url, { method: "POST", body: "List-Unsubscribe=One-Click" });
  expect(await (await press(`${button}&topic=field-notes`)).text()).toContain("You no longer receive Field notes");
  expect([await pressed(), await counted()]).toEqual([[{ kind: "changed" }], 1]);
  expect(await (await press(button)).text()).toContain("You’re unsubscribed");
  expect([await pressed(), await counted()]).toEqual([[{ kind: "changed" }, { kind: "unsubscribed" }], 1]);
});

test("a scanner that opens the links of three people later is found by its network here too (D15)", async () => {
  const people = [ada, "b@reader.example", "c@reader.example"];
  const { get, link, db, clock } = await sentTo(...people);
  clock.time += 31 * minute;
  for (const email of people) await get(link(email), {}, "203.0.113.9");
  expect(await scanner.countScanned(db)).toBe(3);
});

test("a failing database is a page with a way to try the same link again", async () => {
  const { get, link, db, clock } = await sentTo(ada);
  clock.time += 31 * minute;
  await look(db, "drop table subscriber_events");
  const answer = await get(link(ada));
  expect(answer.status).toBe(500);
  expect(await answer.text()).toContain('href="/api/newsletter/leave?');
});

test("a topic's link leaves that topic, and its email is counted; who has no other leaves everything", async () => {
  const { db, now, clock, get, send, link, stateOf, counted } = await sentTo(ada, "grace@reader.example");
  for (const name of ["Field notes", "Workshops"])
    await addTopic(db, { name, sentence: "", isDefault: false }, { actor: "cli" }, now());
  const topics = await db.read(allTopics);
  const choose = async (email: string, add: typeof topics) => {
    const { row, id } = (await subscribers.byEmail(db, email)) ?? { row: 0, id: "" };
    const change = { person: { row, id }, topics: { add, remove: [] } };
    await db.write((orm) => changePeople(orm, [change], { via: "preferences" }, now()));
  };
  await choose(ada, topics);
  await choose("grace@reader.example", topics.slice(0, 1));
  const notes = `${link(ada)}&topic=field-notes`;
  expect(await (await get(notes)).text()).toContain("receives Field notes. Nothing has been changed yet.");
  clock.time += 30 * minute;
  for (const answer of [await get(notes), await send(notes, { method: "POST" })]) {
    const page = await answer.text();
    expect(page).toContain("You no longer receive Field notes");
    expect(page).toContain("/newsletter/preferences?");
  }
  expect([await stateOf(ada), await counted()]).toEqual(["active", 1]);
  const events =
    "select kind, via, note from subscriber_events where kind not in ('subscribed') order by created_at, id";
  expect((await look(db, events)).at(-1)).toEqual({ kind: "changed", via: "link", note: "topics: −Field notes" });

  expect(await (await get(`${link("grace@reader.example")}&topic=field-notes`)).text()).toContain(
    "You’re unsubscribed",
  );
  expect([await stateOf("grace@reader.example"), await counted()]).toEqual(["unsubscribed", 2]);
  expect(await (await get(`${link(ada)}&topic=made-up`)).text()).toContain("You’re unsubscribed");
  expect(await stateOf(ada)).toBe("unsubscribed");
});

/** Someone who had all three topics of the site and left, with their link to come back. */
async function leftThree() {
  const service = await sentTo(ada);
  const { db, now, send, config } = service;
  for (const name of ["Field notes", "Workshops", "Letters"])
    await addTopic(db, { name, sentence: "", isDefault: false }, { actor: "cli" }, now());
  const { row = 0, id = "" } = (await subscribers.byEmail(db, ada)) ?? {};
  const topics = await db.read(allTopics);
  const choose = (change: { add?: typeof topics; remove?: typeof topics }) =>
    db.write((orm) =>
      changePeople(
        orm,
        [{ person: { row, id }, topics: { add: [], remove: [], ...change } }],
        { via: "preferences" },
        now(),
      ),
    );
  await choose({ add: topics });
  const link = unsubscribeLink(config, ada);
  const back = link.replace("/unsubscribe?", "/subscribe-again?");
  const press = (body: string) =>
    send(back, { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } });
  const chosen = async () =>
    (
      await look<{ slug: string }>(
        db,
        "select slug from subscriber_topics join topics on topics.row = topic_row where chosen = 1 order by slug",
      )
    ).map(({ slug }) => slug);
  return { ...service, topics, choose, link: () => link, back, press, chosen };
}

test("who left is offered fewer topics, none of them ticked; only those they tick come back, and only if they ask", async () => {
  const { db, get, link, back, press, chosen, stateOf } = await leftThree();
  const emails = () => look(db, "select kind from outbox");
  const before = await emails();
  const page = await (await get(link())).text();
  expect(page).toContain("Fewer emails instead?");
  expect(page.match(/<input type="checkbox"[^>]*>/g)).toHaveLength(3);
  for (const word of ["checked", "<details open>", "Choose at least one"]) expect(page).not.toContain(word);
  for (const url of [link(), back]) expect(await (await get(url)).text()).toContain("Fewer emails instead?");

  for (const nothing of ["do=fewer", "do=fewer&topics=made-up"]) {
    const again = await press(nothing);
    const why = await again.text();
    expect([again.status, why.includes("Choose at least one. Nothing has been changed.")]).toEqual([422, true]);
    expect(why).toContain("<details open>");
    expect([await stateOf(ada), (await chosen()).length]).toEqual(["unsubscribed", 3]);
  }
  expect((await press("do=fewer&topics=letters")).headers.get("location")).toBe(back.replace(/^https?:..[^/]+/, ""));
  expect([await stateOf(ada), await chosen()]).toEqual(["active", ["letters"]]);
  expect(await (await get(back)).text()).toContain("You’re subscribed again");
  expect(await emails()).toEqual(before);
  expect(await look(db, "select kind, via, note from subscriber_events where via = 'page' order by kind")).toEqual([
    { kind: "changed", via: "page", note: "topics: −Field notes −Workshops" },
    { kind: "reactivated", via: "page", note: null },
  ]);
});

test("that no topic was ticked is said in the person's language; to who is back already, that they are", async () => {
  const { db, get, link, press, stateOf } = await leftThree();
  await look(db, "update subscribers set language = 'de'");
  await get(link());
  expect(await (await press("do=fewer")).text()).toContain(
    "Wählen Sie mindestens eines aus. Es wurde nichts geändert.",
  );
  await press("do=fewer&topics=letters");
  expect(await (await press("do=fewer")).text()).toContain("Sie haben den Newsletter wieder abonniert");
  expect(await stateOf(ada)).toBe("active");
});

test("fewer topics are offered to nobody who had one, and the plain button brings back all of them", async () => {
  const { get, link, choose, topics, press, chosen, send, stateOf } = await leftThree();
  await get(link());
  expect((await press("")).status).toBe(303);
  expect([await stateOf(ada), (await chosen()).length]).toEqual(["active", 3]);
  await choose({ remove: topics.slice(1) });
  const left = await (await send(link(), { method: "POST" })).text();
  expect(left).toContain("Subscribe again");
  expect(left).not.toContain("Fewer emails");
});

test("the page says that someone has left, whatever fails after it", async () => {
  const { db, get, link, stateOf } = await leftThree();
  await look(db, "alter table topics rename to elsewhere");
  const page = await get(link());
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("You’re unsubscribed") as never]);
  expect(await stateOf(ada)).toBe("unsubscribed");
});
