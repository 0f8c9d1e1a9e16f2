import { expect, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { submit } from "../../../db/contact/submissions";
import { addByHand } from "../../../db/newsletter/edit";
import { changePeople } from "../../../db/newsletter/change-people";
import { addField } from "../../../db/newsletter/fields";
import { pauseFor } from "../../../db/newsletter/preferences";
import { addTopic, allTopics, archiveTopic, type Topic } from "../../../db/newsletter/topics";
import { suppress } from "../../../db/suppressions/suppressions";
import { hours, startedSequence } from "../../../test/support/broadcasts/sequences";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/newsletter";
const htmxOn = (page: string) => ({
  "hx-request": "true",
  "hx-request-type": "partial",
  "hx-current-url": `http://localhost:3000${page}`,
});

async function withSubscribers(...emails: string[]) {
  const service = await testService();
  const manager = await service.signIn();
  for (const email of emails) {
    service.clock.time += 1_000;
    await subscribers.subscribe(service.db, { email, source: "blog" }, { via: "form" }, service.now());
  }
  service.clock.time += 1_000;
  const idOf = async (email: string) => (await subscribers.byEmail(service.db, email))?.id ?? "";
  const states = () => look(service.db, "select email, state from subscribers order by email");
  const actions = () =>
    look(service.db, "select action, target from audit_events where action like 'subscriber.%' order by id");
  return { ...service, manager, idOf, states, actions };
}

const active = (...emails: string[]) => emails.map((email) => ({ email, state: "active" }));
const unsubscribed = (...emails: string[]) => emails.map((email) => ({ email, state: "unsubscribed" }));

test("the page of a subscriber unsubscribes them, on record, and can undo that", async () => {
  const { manager, idOf, states, actions } = await withSubscribers("ada@example.com", "bo@example.com");
  const id = await idOf("ada@example.com");
  const page = `${path}/${id}`;
  expect(await (await manager.get(page)).text()).toContain(`action="${page}/unsubscribe"`);
  const answer = await manager.submit(`${page}/unsubscribe`, {}, { referer: `http://localhost:3000${page}` });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, page]);
  expect(await states()).toEqual([...unsubscribed("ada@example.com"), ...active("bo@example.com")]);
  const after = await (await manager.get(page)).text();
  expect(after).toContain("ada@example.com unsubscribed.");
  expect(after).toContain("Unsubscribed by Olive Owner");
  expect(after).toContain('name="do" value="resubscribe"');
  await manager.submit(`${path}/bulk`, { do: "resubscribe", ids: id }, { referer: `http://localhost:3000${page}` });
  expect(await states()).toEqual(active("ada@example.com", "bo@example.com"));
  expect(await actions()).toEqual([
    { action: "subscriber.unsubscribe", target: "ada@example.com" },
    { action: "subscriber.reactivate", target: "ada@example.com" },
  ]);
});

test("who comes back after a sequence was stopped is said not to go on with it, and so is their page; of others, nothing", async () => {
  const { db, now, manager, idOf } = await withSubscribers("bo@example.com");
  await startedSequence(db, now(), { waits: [hours(2)] });
  await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, now());
  for (const [email, isIn] of [
    ["ada@example.com", true],
    ["bo@example.com", false],
  ] as const) {
    const page = `${path}/${await idOf(email)}`;
    const read = async () => (await manager.get(page)).text();
    for (const undo of [false, true]) {
      await manager.submit(`${page}/unsubscribe`, {}, htmxOn(page));
      const left = await read();
      expect(left.includes("stopped: unsubscribed (reactivating does not resume it)")).toBe(isIn);
      const changedAt = /name="changedAt" value="(\d+)"/.exec(left)?.[1] ?? "";
      const [to, fields] = undo ? [`${path}/bulk`, { do: "resubscribe", changedAt }] : [`${page}/reactivate`, {}];
      await manager.submit(to, fields, htmxOn(page));
      const said = `${email} reactivated.${isIn ? " Sequences stopped by unsubscribing do not resume." : ""}<`;
      expect(await read()).toContain(said);
    }
  }
});

test("Undo in the notice on the page of a subscriber stays on it", async () => {
  const { manager, idOf, states } = await withSubscribers("ada@example.com");
  const page = `${path}/${await idOf("ada@example.com")}`;
  await manager.submit(`${page}/unsubscribe`, {}, htmxOn(page));
  const changedAt = /name="changedAt" value="(\d+)"/.exec(await (await manager.get(page)).text())?.[1] ?? "";
  const undone = await manager.submit(`${path}/bulk`, { do: "resubscribe", changedAt }, htmxOn(page));
  expect(undone.headers.get("hx-redirect")).toBe(page);
  expect(await (await manager.get(page)).text()).toContain("ada@example.com reactivated.");
  expect(await states()).toEqual(active("ada@example.com"));
});

test("without JavaScript, a question from the page of a person leads back to it, whatever is answered", async () => {
  const { manager, idOf, db, now } = await withSubscribers("ada@example.com");
  const id = await idOf("ada@example.com");
  const page = `${path}/${id}`;
  await look(db, "update subscribers set pending_at = ? where id = ?", [now().getTime(), id]);
  const from = (url: string) => ({ referer: `http://localhost:3000${url}` });
  const send = async (fields: Record<string, string>, before: string) => {
    const answer = await manager.submit(`${path}/bulk`, { ids: id, ...fields }, from(before));
    return { to: answer.headers.get("location"), text: await answer.text() };
  };
  const back = `name="back" value="${page}"`;
  const asked = await send({ do: "confirm" }, page);
  expect(asked.text).toContain(`href="${page}" data-close`);
  expect(asked.text).toContain(back);
  const answer = { do: "confirm", confirmed: "yes", back: page };
  expect((await send(answer, `${path}/bulk`)).text).toContain(back); // the note is missing
  expect((await send({ ...answer, note: "By telephone" }, `${path}/bulk`)).to).toBe(page);
  expect(await (await manager.get(page)).text()).toContain("ada@example.com confirmed.");
  const deletion = await manager.get(`${page}/delete`, from(page));
  expect(await deletion.text()).toContain(`href="${page}" data-close`);
  const fromList = await manager.get(`${page}/delete`, from(path));
  expect(await fromList.text()).toContain(`href="${path}" data-close`);
  for (const elsewhere of ["https://evil.example", "/dashboard/settings", `${path}/${"0".repeat(36)}`])
    expect((await send({ do: "remind", back: elsewhere }, path)).to).toMatch(/^\/dashboard\/newsletter(\?|$)/);
  const gone = await manager.submit(`${page}/delete`, { confirmed: "yes" }, from(`${page}/delete`));
  expect(gone.headers.get("location")).toBe(path);
});

test("what changes nobody is not on record", async () => {
  const { manager, idOf, actions } = await withSubscribers("ada@example.com");
  const id = await idOf("ada@example.com");
  await manager.submit(`${path}/${id}/reactivate`, {}, htmxOn(path));
  await manager.submit(`${path}/bulk`, { do: "resubscribe", ids: id }, htmxOn(path));
  await manager.submit(`${path}/restore`, {}, htmxOn(path)); // no mail scanner has unsubscribed anyone
  expect(await actions()).toEqual([]);
});

test("unsubscribing several asks for confirmation; undoing it reactivates those, and no one who left at the same moment", async () => {
  const people = ["ada@example.com", "bo@example.com", "cy@example.com", "left@example.com"];
  const { manager, db, now, idOf, states } = await withSubscribers(...people);
  await subscribers.unsubscribe(db, "left@example.com", { via: "page" }, now());
  const ids = await Promise.all(people.map(idOf));
  const chosen = { do: "unsubscribe", ids };
  const question = await (await manager.submit(`${path}/bulk`, chosen, htmxOn(path))).text();
  expect(question).toContain("Unsubscribe 4 subscribers?");
  expect((await states())[0]).toMatchObject({ state: "active" });
  const list = await (
    await manager.submit(`${path}/bulk`, { ...chosen, confirmed: "yes", asked: "4" }, htmxOn(path))
  ).text();
  expect(list).toContain("3 subscribers unsubscribed.");
  expect(await states()).toEqual(unsubscribed(...people));
  const changedAt = /name="changedAt" value="(\d+)"/.exec(list)?.[1] ?? "";
  expect(changedAt).toBe(String(now().getTime()));
  const undone = await manager.submit(`${path}/bulk`, { do: "resubscribe", changedAt }, htmxOn(path));
  expect(await undone.text()).toContain("3 subscribers reactivated.");
  expect(await states()).toEqual([...active(...people.slice(0, 3)), ...unsubscribed("left@example.com")]);
});

test("name and source can be corrected; the search finds the new name, and the audit log has who did it", async () => {
  const { manager, idOf, actions, db } = await withSubscribers("ada@example.com");
  const page = `${path}/${await idOf("ada@example.com")}`;
  const form = await (await manager.get(`${page}/edit`)).text();
  expect(form).toContain('value="blog"');
  expect(form).toContain("An address that is wrong cannot be corrected");
  const wrong = await manager.submit(`${page}/edit`, { name: "x".repeat(101), source: "" }, htmxOn(page));
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("x".repeat(101)) as never]);
  const saved = await manager.submit(`${page}/edit`, { name: " Ada Lovelace ", source: "fair" });
  expect([saved.status, saved.headers.get("location")]).toEqual([303, page]);
  expect(await look(db, "select email, name, source from subscribers")).toEqual([
    { email: "ada@example.com", name: "Ada Lovelace", source: "fair" },
  ]);
  expect(await (await manager.get(`${path}?q=lovelace`)).text()).toContain("1 subscriber<");
  await manager.submit(`${page}/edit`, { name: "", source: "" });
  expect(await look(db, "select name, source from subscribers")).toEqual([{ name: null, source: null }]);
  expect(await (await manager.get(`${path}?q=lovelace`)).text()).toContain("0 subscribers<");
  expect(await actions()).toEqual(Array(2).fill({ action: "subscriber.change", target: "ada@example.com" }));
  const gone = await manager.submit(`${path}/nobody/edit`, { name: "", source: "" });
  expect(gone.headers.get("location")).toBe(path);
});

test("a wrong address is corrected by adding the right one, with what is known, and never for someone who left", async () => {
  const { manager, idOf, db, now } = await withSubscribers("ada@exmaple.com");
  const id = await idOf("ada@exmaple.com");
  const page = `${path}/${id}`;
  for (const name of ["News", "Recipes"])
    await addTopic(db, { name, sentence: "", isDefault: name === "News" }, { actor: "cli" }, now());
  const details = { name: "Ada", language: "es", tags: "vip, boats", hadTags: "", hadTopics: "" };
  await manager.submit(`${page}/edit`, { ...details, "topic-recipes": "yes" });
  const link = `${path}/new?instead=${id}`;
  for (const url of [page, `${page}/edit`]) expect(await (await manager.get(url)).text()).toContain(link);
  const form = await (await manager.get(link)).text();
  for (const part of [
    "Instead of ada@exmaple.com",
    'value="Ada"',
    'value="boats, vip"',
    `name="instead" value="${id}"`,
  ])
    expect(form).toContain(part);
  expect(form).toMatch(/<option value="es" selected/);
  expect(await (await manager.submit(path, { email: "ada", instead: id })).text()).toContain("Instead of ada@exmaple");
  const added = await manager.submit(path, { email: "ada@example.com", name: "Ada", tags: "boats, vip", instead: id });
  expect([added.status, added.headers.get("location")]).toEqual([303, page]);
  expect(await (await manager.get(page)).text()).toContain("ada@example.com added. Delete this one if it is wrong.");
  const emails = "select email, state from subscribers order by email";
  const both = [
    { email: "ada@example.com", state: "active" },
    { email: "ada@exmaple.com", state: "active" },
  ];
  expect(await look(db, emails)).toEqual(both); // nobody's address was changed
  const topics = "select slug from subscriber_topics join topics on topics.row = topic_row where chosen = 1";
  expect(await look(db, topics)).toEqual([{ slug: "recipes" }, { slug: "recipes" }]); // not the ones of new subscribers

  await subscribers.unsubscribe(db, "ada@exmaple.com", { via: "link" }, now());
  for (const url of [page, `${page}/edit`]) expect(await (await manager.get(url)).text()).not.toContain("instead=");
  expect(await (await manager.get(link)).text()).not.toContain("Instead of");
});

/** What keeps someone from getting emails under another address, and what managers are told. */
const obstacles: [
  string,
  (service: Awaited<ReturnType<typeof withSubscribers>>, id: string) => Promise<unknown>,
  string,
][] = [
  [
    "has left",
    ({ db, now }) => subscribers.unsubscribe(db, "ada@exmaple.com", { via: "link" }, now()),
    "this person has unsubscribed",
  ],
  ...(["complaint", "manual", "import"] as const).map((reason): (typeof obstacles)[number] => [
    `is suppressed (${reason})`,
    ({ db, now }) => db.write((orm) => suppress(orm, { email: "ada@exmaple.com", reason }, { via: "provider" }, now())),
    "this person is suppressed, and not because of the address",
  ]),
  [
    "has paused",
    ({ db, now }) =>
      pauseFor(
        db,
        { email: "ada@exmaple.com", origin: { via: "preferences" }, now: now() },
        new Date(now().getTime() + 48 * 3_600_000),
      ),
    "this person has paused your emails",
  ],
  [
    "has not confirmed",
    ({ db, now }, id) => look(db, "update subscribers set pending_at = ? where id = ?", [now().getTime(), id]),
    "this person has not confirmed the subscription",
  ],
  [
    "is deleted",
    ({ db }, id) => look(db, "delete from subscribers where id = ?", [id]),
    "the subscriber with the wrong address has been deleted",
  ],
];

test.each(obstacles)(
  "no one gets emails instead of a person who %s, whose form was open: why is said",
  async (_, happen, why) => {
    const service = await withSubscribers("ada@exmaple.com");
    const { manager, idOf, db } = service;
    const id = await idOf("ada@exmaple.com");
    const page = `${path}/${id}`;
    const link = `${path}/new?instead=${id}`;
    expect(await (await manager.get(link)).text()).toContain("Instead of ada@exmaple.com");
    await happen(service, id);
    const isDeleted = why.includes("deleted");
    const back = isDeleted ? path : page;
    const emails = await look(db, "select kind from outbox");
    const input = { email: "ada@example.com", name: "Ada", tags: "", welcome: "yes", instead: id };
    const ways = [
      () => manager.submit(path, input),
      () => manager.submit(path, { ...input, email: "ada" }),
      () => manager.get(link),
    ];
    for (const answerOf of ways) {
      const answer = await answerOf();
      expect([answer.status, answer.headers.get("location")]).toEqual([303, back]);
      expect(await (await manager.get(back)).text()).toContain(`No address was added: ${why}.`);
    }
    const inDialog = await manager.submit(path, input, htmxOn(page));
    expect(inDialog.headers.get("hx-redirect")).toBe(back);
    const atTheSameTime = { email: "ada@example.com", instead: id };
    expect(await addByHand(db, atTheSameTime, { actor: "cli", welcome: true }, service.now())).toHaveProperty(
      "obstacle",
    );
    expect(await idOf("ada@example.com")).toBe("");
    expect(await look(db, "select kind from outbox")).toEqual(emails);
    if (isDeleted) return;
    for (const url of [page, `${page}/edit`]) expect(await (await manager.get(url)).text()).not.toContain("instead=");
  },
);

test.each(["bounce", "provider"] as const)(
  "an address that does not work (%s) is corrected, and said to get nothing",
  async (reason) => {
    const { manager, idOf, db, now } = await withSubscribers("ada@exmaple.com");
    const id = await idOf("ada@exmaple.com");
    const form = async () => (await (await manager.get(`${path}/new?instead=${id}`)).text()).replace(/\s+/g, " ");
    expect(await form()).toContain("Both get your emails until you delete the wrong one.");
    await db.write((orm) => suppress(orm, { email: "ada@exmaple.com", reason }, { via: "provider" }, now()));
    for (const url of [`${path}/${id}`, `${path}/${id}/edit`])
      expect(await (await manager.get(url)).text()).toContain(`${path}/new?instead=${id}`);
    expect(await form()).toContain("The wrong one is suppressed, so it gets no emails. Delete it afterwards.");
    expect(await form()).not.toContain("Both get your emails");
    await manager.submit(path, { email: "ada@example.com", instead: id });
    expect(
      await look(
        db,
        "select email, case when suppressed_at is null then 1 else 0 end as gets from subscribers order by email",
      ),
    ).toEqual([
      { email: "ada@example.com", gets: 1 },
      { email: "ada@exmaple.com", gets: 0 },
    ]);
  },
);

test("the right address gets every topic of the wrong one, archived ones too, and what the person left stays left", async () => {
  const { manager, idOf, db, now } = await withSubscribers("ada@exmaple.com");
  const id = await idOf("ada@exmaple.com");
  const [by, origin] = [{ actor: "cli" }, { via: "preferences" as const }];
  for (const name of ["News", "Recipes", "Letters", "Never had"])
    await addTopic(db, { name, sentence: "", isDefault: name === "Never had" }, by, now());
  const [news, recipes, letters] = await db.read(allTopics);
  const { row } = (await subscribers.byEmail(db, "ada@exmaple.com")) ?? { row: 0 };
  const choose = (topics: { add: Topic[]; remove: Topic[] }) =>
    db.write((orm) => changePeople(orm, [{ person: { row, id }, topics }], origin, now()));
  await choose({ add: [news, recipes, letters].flatMap((topic) => topic ?? []), remove: [] });
  await choose({ add: [], remove: [letters].flatMap((topic) => topic ?? []) });
  await archiveTopic(db, { id: recipes?.id ?? "", isArchived: true }, by, now());
  await manager.submit(path, { email: "ada@example.com", instead: id });
  const topicsOf = (email: string) =>
    look(
      db,
      `select slug, chosen from subscriber_topics join topics on topics.row = topic_row
       join subscribers on subscribers.row = subscriber_row where email = ? order by slug`,
      [email],
    );
  const all = [
    { slug: "letters", chosen: 0 },
    { slug: "news", chosen: 1 },
    { slug: "recipes", chosen: 1 },
  ];
  expect(await topicsOf("ada@exmaple.com")).toEqual(all);
  expect(await topicsOf("ada@example.com")).toEqual(all);
  const right = `${path}/${await idOf("ada@example.com")}/edit`;
  const fields = { name: "", source: "", tags: "", hadTags: "", hadTopics: "news", "topic-news": "yes" };
  await manager.submit(right, { ...fields, "topic-letters": "yes" });
  expect(await topicsOf("ada@example.com")).toEqual(all);
});

test("the right address gets the fields and the time zone of the wrong one, before a condition of a sequence asks for them", async () => {
  const { manager, idOf, db, now } = await withSubscribers("ada@exmaple.com");
  const id = await idOf("ada@exmaple.com");
  const page = `${path}/${id}`;
  for (const [key, type, options] of [
    ["city", "text", []],
    ["orders", "number", []],
    ["vip", "boolean", []],
    ["born", "date", []],
    ["plan", "choice", ["Free", "Paid"]],
    ["empty", "text", []],
  ] as const)
    await addField(db, { name: key, key, type, options: [...options] }, { actor: "cli" }, now());
  const values = { city: "Oslo", orders: "3", vip: "no", born: "1990-02-03", plan: "Paid", empty: "" };
  const fields = Object.fromEntries(Object.entries(values).map(([key, value]) => [`field-${key}`, value]));
  await manager.submit(`${page}/edit`, { name: "Ada", source: "blog", timeZone: "Asia/Tokyo", ...fields });
  await startedSequence(db, now(), { segment: { v: 2, all: [{ field: "fields.city", is: "empty" }] } });

  expect(await (await manager.get(`${path}/new?instead=${id}`)).text()).toContain("time zone, tags, topics and fields");
  await manager.submit(path, { email: "ada@example.com", name: "Ada", source: "dashboard", instead: id });
  const valuesOf = (email: string) =>
    look(
      db,
      `select key, text, field_values.folded, number from field_values join subscriber_fields on subscriber_fields.row = field_row
       join subscribers on subscribers.row = subscriber_row where email = ? order by key`,
      [email],
    );
  expect(await valuesOf("ada@exmaple.com")).toHaveLength(5);
  expect(await valuesOf("ada@example.com")).toEqual(await valuesOf("ada@exmaple.com"));
  const details = "select name, source, time_zone, consent_note, confirmed_at from subscribers where email = ?";
  expect(await look(db, details, ["ada@example.com"])).toEqual([
    { name: "Ada", source: "dashboard", time_zone: "Asia/Tokyo", consent_note: null, confirmed_at: null },
  ]);
  expect(await look(db, "select * from sequence_people")).toEqual([]); // the city is not empty
});

test("what was corrected is in the history, each in words", async () => {
  const { manager, idOf } = await withSubscribers("ada@example.com");
  const page = `${path}/${await idOf("ada@example.com")}`;
  const edit = (fields: Record<string, string>) => manager.submit(`${page}/edit`, { tags: "", hadTags: "", ...fields });
  await edit({ name: "Ada", source: "shop", language: "es", timeZone: "Europe/Madrid" });
  const first = "Name changed, source changed, language set to Español (Spanish), time zone set to Europe/Madrid";
  expect(await (await manager.get(page)).text()).toContain(`${first} by Olive Owner`);
  await edit({ name: "Ada", source: "shop", language: "", timeZone: "" });
  const second = "Language set to that of the site, time zone set to that of the site";
  expect(await (await manager.get(page)).text()).toContain(`${second} by Olive Owner`);
});

test("the time zones are offered, as is one by an older name, and one that does not exist is refused under the same title", async () => {
  const { manager, idOf, db } = await withSubscribers("ada@example.com");
  const edit = `${path}/${await idOf("ada@example.com")}/edit`;
  const page = async () => (await manager.get(edit)).text();
  expect(await page()).toMatch(/<select[^>]* name="timeZone"[^>]*><option value="" selected>Same as the site</);
  expect(await page()).toMatch(/<optgroup label="Europe">[^]*<option value="Europe\/Oslo">Oslo</);
  const fields = { name: "", source: "", language: "" };
  const wrong = await manager.submit(edit, { ...fields, timeZone: "Oslo" });
  const again = await wrong.text();
  expect([wrong.status, /<h1[^>]*>([^<]*)/.exec(again)?.[1]]).toEqual([422, "Edit ada@example.com"]);
  expect(again).toContain("Enter the name of a time zone, such as Europe/Lisbon.");
  await look(db, "update subscribers set time_zone = ?", ["Etc/GMT+5"]);
  expect(await page()).toContain('<option value="Etc/GMT+5" selected>');
  expect((await manager.submit(edit, { ...fields, timeZone: "Etc/GMT+5" })).status).toBe(303);
  await manager.submit(edit, { ...fields, timeZone: "Europe/Oslo" });
  expect(await page()).toContain('<option value="Europe/Oslo" selected>Oslo<');
});

test("addresses cannot be edited, neither in the dashboard nor by a program: consent was given for them", async () => {
  const { manager, idOf, key, send, db } = await withSubscribers("ada@example.com");
  const id = await idOf("ada@example.com");
  const url = `${path}/${id}/edit`;
  expect(await (await manager.get(url)).text()).not.toContain('name="email"');
  const wanted = { name: "Ada", email: "other@example.com", emailKey: "other@example.com" };
  expect((await manager.submit(url, { ...wanted, source: "" })).status).toBe(303);
  const headers = { ...(await key("Shop", ["newsletter:write"])), "content-type": "application/json" };
  const body = JSON.stringify({ ...wanted, name: "Ada L." });
  expect((await send(`/api/v1/subscribers/${id}`, { method: "PATCH", headers, body })).status).toBe(200);
  expect(await look(db, "select email, email_key, name from subscribers")).toEqual([
    { email: "ada@example.com", email_key: "ada@example.com", name: "Ada L." },
  ]);
});

test("the timeline of a person shows everything, or only what one asks for", async () => {
  const { db, manager, idOf, now } = await withSubscribers("ada@example.com");
  await submit(
    db,
    { name: "Ada", email: "ada@example.com", message: "Good day to you all", source: "blog" },
    {},
    now(),
  );
  const page = `${path}/${await idOf("ada@example.com")}`;
  const parts = async (query: string) => {
    const html = await (await manager.get(page + query)).text();
    return [
      ["Subscribed via blog", "Email: <a", "Good day to you all"].filter((words) => html.includes(words)).length,
      /id="show-(\w+)" aria-current="true"/.exec(html)?.[1],
      html.includes('<h3 class="day">Today</h3>'),
    ];
  };
  expect(await parts("")).toEqual([3, "everything", true]);
  expect(await parts("?show=nonsense")).toEqual([3, "everything", true]);
  for (const show of ["emails", "messages", "changes"]) expect(await parts(`?show=${show}`)).toEqual([1, show, true]);
});

test("who wrote is answered in the conversation, where a note of managers stands too; others by the email app", async () => {
  const { db, manager, idOf, now } = await withSubscribers("ada@example.com", "bo&co@example.com");
  const read = async (email: string) => (await manager.get(`${path}/${await idOf(email)}`)).text();
  const other = await read("bo&co@example.com");
  expect(other).toContain('href="mailto:bo%26co@example.com"');
  expect(other).not.toContain("Only managers see it");
  const message = { name: "Ada", email: "ada@example.com", message: "Good day to you all", source: "blog" };
  const submitted = await submit(db, message, {}, now());
  const conversation = `/dashboard/contact/${"id" in submitted && submitted.id}`;
  const html = await read("ada@example.com");
  expect(html).toContain(`href="${conversation}#reply-text"`);
  expect(html).toContain(`action="${conversation}/reply"`);
  const key = / name="key" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const fields = { key, text: "Has <b>two</b> photographs", do: "note" };
  expect((await manager.submit(`${conversation}/reply`, fields)).headers.get("location")).toStartWith(conversation);
  expect(await read("ada@example.com")).toContain(
    '<span class="sub noted">Has &lt;b&gt;two&lt;/b&gt; photographs</span>',
  );
  expect(await look(db, "select kind from outbox where kind = 'reply'")).toEqual([]);
});
