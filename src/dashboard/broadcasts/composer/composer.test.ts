import { expect, test } from "bun:test";
import * as audit from "../../../../db/audit";
import { byId, withContent } from "../../../../db/broadcasts/broadcasts";
import { edit } from "../../../../db/broadcasts/edit";
import * as outboxList from "../../../../db/mail/list";
import { addByHand } from "../../../../db/newsletter/edit";
import * as subscribers from "../../../../db/newsletter/subscribers";
import * as postEdits from "../../../../db/posts/edit";
import { setState } from "../../../../test/support/broadcasts/sent";
import { testService } from "../../../../test/support/service";

const path = "/dashboard/broadcasts";
const blank = { subject: "", preheader: "", fromName: "", archive: "listed", content: "", testTo: "", do: "save" };
const htmxAt = (page: string) => ({
  "hx-request": "true",
  "hx-request-type": "partial",
  "hx-current-url": `http://localhost:3000${page}`,
});

/** A service, a signed-in manager, and what they do in the composer of a draft. */
async function openComposer(people: { source?: string }[] = []) {
  const service = await testService();
  const { db, now } = service;
  const manager = await service.signIn();
  for (const [i, { source }] of people.entries())
    await subscribers.subscribe(db, { email: `p${i}@example.com`, source }, { via: "form" }, now());
  const created = await manager.submit(`${path}/new`, {});
  const id = created.headers.get("location")?.split("/").at(-1) ?? "";
  const page = `${path}/${id}`;
  const stored = async () => {
    const found = await withContent(db, id);
    if (!found) throw new Error("The draft is gone");
    return found;
  };
  /** Sends the form as a browser does, with the version that is stored unless another is given. */
  const send = async (fields: Record<string, string>, to = page, more: Record<string, string> = {}) => {
    const { subject, preheader, fromName, content, archive, version } = await stored();
    const shown = { subject, preheader, fromName, content, archive, version: String(version), zone: "UTC" };
    const answer = await manager.submit(to, { ...blank, ...shown, ...fields }, more);
    return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() };
  };
  const text = async (to = page) => (await manager.get(to)).text();
  const actions = async () =>
    (await audit.list(db, { group: "broadcast" }, { page: 1, per: 50 })).events.map(({ action }) => action);
  return { ...service, manager, id, page, stored, send, text, actions };
}

test("a new broadcast is a draft from the first click, and saving keeps what was typed", async () => {
  const { page, send, stored, text, actions } = await openComposer();
  expect(await text()).toContain("No subject yet");
  const saved = await send({ subject: "Rain\ngauges", preheader: "On rain", fromName: "Noor", content: "It rained." });
  expect(saved).toMatchObject({ status: 303, location: page });
  expect(await stored()).toMatchObject({ subject: "Rain gauges", fromName: "Noor", content: "It rained.", version: 2 });
  expect(await actions()).toEqual(["broadcast.create"]);
  expect(await text(path)).toContain("Rain gauges");
});

test("a text is kept to the byte: blanks at its ends, uncomposed letters, and the ends of lines that nobody touched", async () => {
  const { db, now, id, send, stored } = await openComposer();
  const text = "\n  Cafe\u0301 \nto \n\n";
  await send({ content: text.replaceAll("\n", "\r\n") });
  expect((await stored()).content).toBe(text);
  const { version, ...fields } = await stored();
  const withPairs = "One \r\nTwo\r\n";
  await edit(db, { id, version }, { ...fields, segment: {}, content: withPairs }, now());
  await send({ content: withPairs, subject: "Rain" });
  expect((await stored()).content).toBe(withPairs);
  await send({ content: "One \r\nTwo and a half\r\n" });
  expect((await stored()).content).toBe("One \r\nTwo and a half\r\n");
});

test("the subject of a new broadcast has the focus, and the heading follows what was saved without leaving the page", async () => {
  const { manager, page, send, text } = await openComposer();
  const subject = /<textarea id="subject"[^>]*>/;
  expect((await text()).match(subject)?.[0]).toContain(" autofocus");
  await manager.submit(`${page}/draft`, { ...blank, subject: "Rain", version: "1" }, { accept: "application/json" });
  const heading = '<hx-partial hx-target="#editor h1" hx-swap="innerHTML">Rain</hx-partial>';
  expect(await text(`${page}/verdict`)).toContain(heading);
  expect((await text()).match(subject)?.[0]).not.toContain(" autofocus");
  expect((await send({ subject: "Rain again" }, page, htmxAt(page))).text).toContain("Rain again</hx-partial>");
});

test("what nobody has written yet is left to do, and blocks only who wants to send", async () => {
  const { page, send, text } = await openComposer();
  const opened = await text();
  expect(opened).toContain('<span class="badge off">3 to do</span>');
  for (const sentence of ["Write a subject.", "Write the text.", "There are no recipients yet."])
    expect(opened).toContain(`<strong>${sentence}</strong>`);
  expect(opened).not.toMatch(/badge (bad|warn)|class="stops"|Blocked/);
  expect((await send({ do: "review" })).text).toContain("Blocked: The subject is missing.");
  await send(
    { subject: "Rain", content: "It rained. ![](/media/0198a8c0-0000-7000-8000-000000000000/gone.png)" },
    page,
  );
  expect(await text()).toContain('<span class="badge bad">1 blocker</span>'); // the more urgent
  expect(await text()).toContain("<strong>There are no recipients yet.</strong>");
});

test("the address of a new broadcast, opened by hand, offers to write one; a deleted one is told under a heading", async () => {
  const { manager, send, page } = await openComposer();
  const offered = await manager.get(`${path}/new`);
  expect(offered.status).toBe(200);
  expect(await offered.text()).toMatch(/<h1>New broadcast<\/h1>.*action="\/dashboard\/broadcasts\/new"/);
  await send({}, `${page}/trash`);
  const gone = await manager.get(page);
  expect([gone.status, (await gone.text()).match(/<h1>[^<]+/)?.[0]]).toEqual([404, "<h1>No longer available"]);
});

test("a text of the greatest length is saved, whatever its letters", async () => {
  const { page, send, stored } = await openComposer();
  const content = "雨".repeat(200_000);
  expect(await send({ content })).toMatchObject({ status: 303, location: page });
  expect((await stored()).content).toBe(content);
});

test("beside the text is the line of an inbox, and what was checked and is in order", async () => {
  const { page, send, text } = await openComposer([{}]);
  await send({ subject: 'Rain for {name, "all"}', fromName: "Noor", content: "It {1 + 2} rained." });
  const shown = await text();
  const line = /<p class="inbox-line" id="inbox-line">(.*?)<\/p>/s.exec(shown)?.[1]?.replace(/<[^>]+>/g, "") ?? "";
  for (const words of ["Noor", "Rain for all", "– It rained."]) expect(line).toContain(words);
  expect(shown).toContain('id="tool-field"');
  expect(shown).toContain("Passed 8 checks");
  expect(shown).toContain("<li>Nothing is wrong with merge fields.</li>");
  const kept = await send({ subject: "Tides" }, `${page}/draft`);
  expect(kept.status).toBe(200);
  expect(await text(`${page}/verdict`)).toContain("<b>Tides</b>");
});

test("saving what has not changed makes no new version, so a test stays valid", async () => {
  const { send, stored } = await openComposer();
  await send({ subject: "Rain", content: "It rained." });
  await send({});
  expect((await stored()).version).toBe(2);
});

test("a save that is sent again, because its response was lost, finds itself saved", async () => {
  const { send, stored } = await openComposer();
  for (let times = 0; times < 2; times++) expect((await send({ content: "First", version: "1" })).status).toBe(303);
  expect(await stored()).toMatchObject({ content: "First", version: 2 });
  expect((await send({ content: "First", subject: "Another", version: "1" })).status).toBe(409);
});

test("a second autosave is reported and overwrites nothing, and saving shows both versions", async () => {
  const { page, send, stored } = await openComposer();
  const kept = await send({ content: "First" }, `${page}/draft`);
  expect(JSON.parse(kept.text)).toMatchObject({ action: page, version: 2, isBehind: false });
  const late = await send({ content: "Second", version: "1" }, `${page}/draft`);
  expect(JSON.parse(late.text)).toMatchObject({ version: 1, isBehind: true });
  const conflict = await send({ content: "Second", version: "1" });
  expect(conflict.status).toBe(409);
  for (const words of ["Overwrite with mine", "First", "Second"]) expect(conflict.text).toContain(words);
  expect((await stored()).content).toBe("First");
  await send({ content: "Second", version: "2" });
  expect((await stored()).content).toBe("Second");
});

test("what is too long is not saved, and stays on the form", async () => {
  const { send, stored } = await openComposer();
  const refused = await send({ subject: "x".repeat(151) });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("x".repeat(151));
  expect((await stored()).subject).toBe("");
});

test("the audience is counted while it is chosen, and in words beside the text", async () => {
  const people = [{ source: "blog" }, { source: "blog" }, { source: "talk" }, {}];
  const { page, send, stored, text } = await openComposer(people);
  expect(await text()).toContain("4 people");
  const choice = { "w.0.field": "source", "w.0.is": "none", "w.0.of": "talk", was: "{}", do: "use" };
  const counted = await send(choice, `${page}/audience/count`, htmxAt(page));
  expect(counted.text).toContain("<strong>3 people</strong> get this email");
  expect(await send(choice, `${page}/audience`)).toMatchObject({ status: 303, location: page });
  expect(await stored()).toMatchObject({
    segment: '{"v":2,"all":[{"field":"source","is":"none","of":["talk"]}]}',
    archive: "unlisted",
  });
  const shown = await text();
  const notice = "For 3 people. On the web it is shown only by its link, because it is not for everyone.";
  for (const words of ["3 people", "People who did not come from “talk”", notice]) expect(shown).toContain(words);
});

test("what changes the audience looks like a button, and each choice for the web says who reads it and from when on", async () => {
  const { db, page, send, text, stored } = await openComposer([{}]);
  expect(await text()).toMatch(/<button[^>]* class="btn sm"[^>]* id="change-audience"/);
  const about = {
    listed: "by its link as soon as sending starts, and in the list at /newsletter and its feed once it has been sent.",
    unlisted: "Anyone who has the link can read it as soon as sending starts. It is not listed anywhere.",
    none: "Only those who get the email can read it.",
  };
  const chosen = (html: string) => html.match(/<input(?=[^>]*name="archive")(?=[^>]*checked)[^>]*>/g) ?? [];
  for (const archive of ["unlisted", "none", "listed"] as const) {
    await send({ archive, subject: "Rain", content: "It rained." });
    const composer = await text();
    for (const words of Object.values(about)) expect(composer).toContain(words);
    expect(chosen(composer).map((input) => /value="(\w+)"/.exec(input)?.[1])).toEqual([archive]);
    expect(await text(`${page}/send`)).toContain(about[archive]);
  }
  const { id } = await stored();
  await setState(db, id, { state: "sent" });
  const report = await text();
  for (const words of Object.values(about)) expect(report).toContain(words);
});

test("an audience that someone else has changed is not overwritten, and invalid input is corrected", async () => {
  const { page, send, stored } = await openComposer([{ source: "blog" }]);
  const choice = { "w.0.field": "source", "w.0.is": "any", "w.0.of": "blog", was: '{"confirmedOnly":true}', do: "use" };
  expect((await send(choice, `${page}/audience`)).status).toBe(409);
  for (const wrong of [
    { "w.0.field": "source", "w.0.is": "any" },
    { "w.0.field": "joined", "w.0.is": "within" }, // chosen, but its days are not shown yet
    { "w.0.field": "joined", "w.0.is": "from", "w.0.of": "yesterday" },
    { "w.0.field": "joined", "w.0.is": "within", "w.0.of": "0" },
    { saved: Bun.randomUUIDv7() },
  ])
    expect((await send({ was: "{}", do: "use", ...wrong }, `${page}/audience`)).status).toBe(422);
  expect((await stored()).segment).toBe("{}");
});

test("the tags there are stand first when an audience is chosen; other conditions narrow them, and nothing hides them", async () => {
  const { db, page, send, stored, text, now } = await openComposer([{}]);
  for (const [email, tags] of [
    ["ada@example.com", ["Sailor"]],
    ["bo@example.com", ["Press", "Sailor"]],
  ] as const) {
    const person = { email, name: "", source: "talk", language: "de", tags: [...tags] };
    await addByHand(db, person, { actor: "owner@example.com", welcome: false }, now());
  }
  const form = await text(`${page}/audience`);
  expect(form).toMatch(/<legend>Tags<\/legend>.*value="Press".*value="Sailor".*Condition/s);
  expect(form).not.toContain("w.0.field");
  const use = async (fields: Record<string, string>) => {
    const answer = await send({ do: "use", was: (await stored()).segment, ...fields }, `${page}/audience`);
    return [answer.status, JSON.parse((await stored()).segment)];
  };
  const sailors = { field: "tag", is: "any", of: ["Sailor"] };
  expect(await use({ tags: "Sailor" })).toEqual([303, { v: 2, all: [sailors] }]);
  expect(await text(`${page}/audience`)).toMatch(/name="tags" value="Sailor" checked/);
  const source = { "w.0.field": "source", "w.0.is": "any", "w.0.of": "talk" };
  const fromTalk = { field: "source", is: "any", of: ["talk"] };
  expect(await use({ tags: "Press", ...source })).toEqual([
    303,
    { v: 2, all: [{ ...sailors, of: ["Press"] }, fromTalk] },
  ]);
  const again = await text(`${page}/audience`);
  expect(again).toMatch(/name="tags" value="Press" checked/);
  expect(again).toContain('name="w.0.field"');
  expect(again).not.toContain('name="w.1.field"');
  const language = { "w.1.field": "language", "w.1.is": "any", "w.1.of": "de" };
  const either = { any: [fromTalk, { field: "language", is: "any", of: ["de"] }] };
  expect(await use({ tags: "Sailor", "w.kind": "any", ...source, ...language })).toEqual([
    303,
    { v: 2, all: [sailors, either] },
  ]);
  const group = { "w.2.group": "yes", "w.2.0.field": "source", "w.2.0.is": "any", "w.2.0.of": "talk" };
  expect((await use({ tags: "Press", "w.kind": "any", ...source, ...language, ...group }))[0]).toBe(422);
  expect((await send({ do: "add", tags: "Press" }, `${page}/audience`)).text).toMatch(
    /name="tags" value="Press" checked/,
  );
  expect((await send({ tags: "Press" }, `${page}/audience/count`)).text).toContain("<strong>1 person</strong>");
});

test("conditions are added and removed one by one, in groups too, without a script", async () => {
  const { page, send, stored } = await openComposer([{ source: "blog" }]);
  const drawn = (fields: Record<string, string>) => send(fields, `${page}/audience`);
  expect((await drawn({ do: "add" })).text).toContain('name="w.0.field"');
  const first = { "w.0.field": "joined", "w.0.is": "within", "w.0.of": "7" };
  expect((await drawn({ ...first, do: "group" })).text).toContain('name="w.1.0.field"');
  const both = { ...first, "w.1.group": "yes", "w.1.0.field": "source", "w.1.0.is": "any", "w.1.0.of": "blog" };
  expect((await drawn({ ...both, do: "add:1" })).text).toContain('name="w.1.1.field"');
  expect((await drawn({ ...both, do: "remove:1.0" })).text).not.toContain('name="w.1.0.field"');
  expect((await drawn({ ...both, do: "use", was: "{}" })).status).toBe(303);
  expect(JSON.parse((await stored()).segment)).toEqual({
    v: 2,
    all: [{ field: "joined", is: "within", of: 7 }, { any: [{ field: "source", is: "any", of: ["blog"] }] }],
  });
});

test("a test goes to five addresses at most, 20 an hour, and is in the audit log", async () => {
  const { db, send, page, actions, stored } = await openComposer();
  await send({ subject: "Rain", content: "It rained." });
  const to = (testTo: string) => send({ do: "test", testTo });
  expect(await to("a@x.example, b@x.example")).toMatchObject({ status: 303, location: page });
  const queued = await outboxList.list(db, { kind: "broadcast-test" }, { page: 1, per: 50 });
  expect(queued.rows.map(({ recipient }) => recipient).sort()).toEqual(["a@x.example", "b@x.example"]);
  const { testedVersion, version } = await stored();
  expect(testedVersion).toBe(version);
  for (const wrong of [
    "",
    "nobody",
    "a@x.example,".repeat(2) + "b@x.example c@x.example d@x.example e@x.example f@x.example",
  ])
    expect((await to(wrong)).status).toBe(422);
  for (let i = 0; i < 3; i++) await to([1, 2, 3, 4, 5].map((n) => `t${i}${n}@x.example`).join(" "));
  expect((await to("l1@x.example l2@x.example l3@x.example l4@x.example")).text).toContain("20 test emails");
  expect((await actions()).filter((action) => action === "broadcast.test")).toHaveLength(4);
});

test("a preview runs nothing, and shows the email, its text and its page", async () => {
  const { manager, page, send } = await openComposer();
  await send({ subject: "Rain <b>", content: 'Dear {name, "friend"},\n\nIt rained. <script>alert(1)</script>' });
  const look = async (query: string) => {
    const answer = await manager.get(`${page}/preview?${query}`);
    return {
      policy: answer.headers.get("content-security-policy"),
      text: await answer.text(),
      type: answer.headers.get("content-type"),
    };
  };
  const html = await look("as=html");
  expect(html.policy).toBe(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  );
  for (const { text } of [html, await look("as=page")]) {
    expect(text).toContain("Dear friend,");
    expect(text).not.toContain("<script>alert");
  }
  expect((await look("as=html&night=1")).text).toContain("@media all");
  expect(await look("as=text")).toMatchObject({ type: "text/plain; charset=utf-8" });
  expect((await look("as=page")).policy).toStartWith("sandbox allow-same-origin; default-src 'none'; style-src 'self'");
});

test("a post becomes a draft with its title, below the manager's own words", async () => {
  const { db, now, manager, text } = await openComposer();
  const fields = {
    title: "Tide tables",
    slug: "",
    excerpt: "On tides",
    content: "The sea came.",
    coverImage: "",
    author: "",
  };
  const created = await postEdits.create(
    db,
    { ...fields, tags: [], published: false, publishedAt: null },
    { actor: "a" },
    now(),
  );
  if (created.outcome !== "saved") throw new Error("The post was not created");
  const answer = await manager.submit(`${path}/from-post/${created.post.id}`, {});
  const at = answer.headers.get("location") ?? "";
  expect(await byId(db, at.split("/").at(-1) ?? "")).toMatchObject({
    kind: "post",
    subject: "Tide tables",
    preheader: "On tides",
  });
  expect(await text(at)).toContain("“Tide tables”");
  expect(await text(at)).toContain("In the public archive, everyone can read its text.");
  expect(await (await manager.get(`${at}/preview?as=text`)).text()).toContain("The sea came.");
  for (const page of [`/dashboard/posts/${created.post.id}`, "/dashboard/posts"])
    expect(await text(page)).toContain(`${path}/from-post/${created.post.id}`);
});

test("a draft is copied, deleted, restored and deleted permanently; what was sent stays", async () => {
  const { manager, id, page, send, stored, text } = await openComposer();
  await send({ subject: "Rain" });
  const copied = await manager.submit(`${page}/copy`, {});
  expect(await text(copied.headers.get("location") ?? "")).toContain("Rain (copy)");
  await manager.submit(`${page}/trash`, {});
  expect((await stored()).deletedAt).not.toBeNull();
  expect((await manager.get(page)).status).toBe(404);
  expect(await text(`${path}?tab=trash`)).toContain("Restore Rain");
  await manager.submit(`${path}/bulk`, { do: "restore", ids: id });
  expect((await stored()).deletedAt).toBeNull();
  await manager.submit(`${path}/bulk`, { do: "trash", ids: id });
  const asked = await manager.submit(`${path}/bulk`, { do: "delete", ids: id });
  expect(await asked.text()).toContain("Permanently delete 1 broadcast");
  await manager.submit(`${path}/bulk`, { do: "delete", ids: id, confirmed: "yes", asked: "1" });
  expect((await manager.get(page)).status).toBe(404);
});

test("a preview is as anyone reads it, or as a subscriber whose name we know", async () => {
  const { db, now, send, text, page } = await openComposer();
  await send({ content: 'Dear {name, "friend"}, {email}' });
  const person = { email: "ada@example.com", name: "Ada" };
  await subscribers.subscribe(db, person, { via: "manager" }, now());
  await subscribers.subscribe(db, { email: "b@example.com", name: "Buy now" }, { via: "form" }, now());
  expect(await text(`${page}/preview?as=text&for=ada@example.com`)).toContain("Dear Ada, ada@example.com");
  expect(await text(`${page}/preview?as=text&for=b@example.com`)).toContain("Dear friend, b@example.com");
  expect(await text(`${page}/preview?as=text&for=nobody@example.com`)).toContain("Dear friend,");
});
