import { expect, test } from "bun:test";
import * as conversation from "../../../db/contact/conversation";
import * as messageList from "../../../db/contact/list";
import * as messages from "../../../db/contact/messages";
import { submit } from "../../../db/contact/submissions";
import { erase } from "../../../db/people/erase";
import { tracesOf } from "../../../db/people/traces";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { compose } from "../../emails/compose";
import { deliver } from "../../mail/deliver";
import { personJson } from "../../people/person-json";
import * as outboxList from "../../../db/mail/list";
import * as outbox from "../../../db/mail/outbox";

const path = "/dashboard/contact";
const hostile = `"><img src=x onerror=alert(1)>`;

async function withMessage(submission: Partial<messages.Message> = {}) {
  const service = await testService({ MAIL_FROM: "Site <hello@site.example>" });
  const { db, clock, now } = service;
  const manager = await service.signIn();
  const whole = { name: "Ada", email: "ada@example.com", message: "Hello there, all of you", source: "landing" };
  const submitted = await submit(db, { ...whole, ...submission }, {}, now());
  const id = "id" in submitted ? submitted.id : "";
  const page = async (more = "") => (await manager.get(`${path}/${id}${more}`)).text();
  const keyIn = (html: string) => / name="key" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const reply = async (fields: Record<string, string>) => {
    clock.time += 1_000;
    return manager.submit(`${path}/${id}/reply`, { key: keyIn(await page()), do: "send", ...fields });
  };
  const replies = async () => (await outboxList.list(db, { kind: "reply" }, { page: 1, per: 50 })).rows;
  const written = async (at = 0) => {
    const mail = (await replies()).toReversed()[at];
    return mail && compose(service, mail);
  };
  const entries = async () => (await conversation.conversationOf(db, id)).entries;
  const actions = async () =>
    (await look<{ action: string }>(db, "select action from audit_events order by created_at, id")).map(
      ({ action }) => action,
    );
  return { ...service, manager, id, page, reply, replies, written, entries, actions, keyIn };
}

test("a reply is sent from the site's address to who wrote, with what they wrote below it", async () => {
  const { reply, replies, written, entries, actions, page } = await withMessage();
  expect((await reply({ text: "Dear Ada,\n\nvery much." })).status).toBe(303);
  expect(await replies()).toMatchObject([{ kind: "reply", recipient: "ada@example.com", state: "queued" }]);
  expect(await written()).toMatchObject({
    to: "ada@example.com",
    subject: "Re: Your message to localhost:3000",
    text: "Dear Ada,\n\nvery much.\n\nOn 21 November 2026, Ada wrote:\n> Hello there, all of you\n",
  });
  expect(await entries()).toMatchObject([{ kind: "reply", author: "owner@example.com" }]);
  expect(await actions()).toContain("message.reply");
  expect(await page()).toContain("<strong>You</strong>");
});

test("its Message-ID cannot be guessed, and the next one refers to it and to the conversation", async () => {
  const { reply, written } = await withMessage();
  await reply({ text: "One" });
  await reply({ text: "Two" });
  const [first, second] = [await written(0), await written(1)];
  expect(first?.messageId).toMatch(/^r\.[0-9a-f]{32}\.[0-9a-f]{16}@site\.example$/);
  const thread = first?.headers.References ?? "";
  expect(thread).toMatch(/^<t\.[0-9a-f]{32}@site\.example>$/);
  expect(first?.headers["In-Reply-To"]).toBe(thread);
  expect(second?.headers).toEqual({
    "In-Reply-To": `<${first?.messageId}>`,
    References: `${thread} <${first?.messageId}>`,
  });
  expect(second?.messageId).not.toBe(first?.messageId);
});

test("a form sent twice sends one email; a key of another message sends none", async () => {
  const { db, now, page, keyIn, manager, id, replies } = await withMessage();
  const key = keyIn(await page());
  for (const _ of [1, 2]) await manager.submit(`${path}/${id}/reply`, { key, do: "send", text: "Once" });
  expect(await replies()).toHaveLength(1);
  const other = await submit(
    db,
    { name: "Bo", email: "bo@example.com", message: "Another message", source: "blog" },
    {},
    now(),
  );
  const otherId = "id" in other ? other.id : "";
  await manager.submit(`${path}/${otherId}/reply`, { key, do: "send", text: "Once" });
  expect((await conversation.conversationOf(db, otherId)).total).toBe(0);
  expect(await replies()).toHaveLength(1);
});

test("an empty reply, and one that is too long, are explained, and what was typed stays", async () => {
  const { reply, replies } = await withMessage();
  const empty = await reply({ text: "  " });
  expect([empty.status, await empty.text()]).toEqual([422, expect.stringContaining("Reply is empty")]);
  const long = await reply({ text: "x".repeat(20_001) });
  expect(long.status).toBe(422);
  expect(await long.text()).toMatch(/x{20001}<\/textarea>/);
  expect(await replies()).toEqual([]);
});

test("the state of a reply is said in one word: in the notice, in the conversation, and on the page of its email", async () => {
  const { config, db, manager, now, page, reply, replies } = await withMessage();
  expect(await page()).toContain("No email provider is configured, so replies are simulated: logged instead of sent.");
  await reply({ text: "Dear Ada" });
  const [mail] = await replies();
  const both = async () => [await page(), await (await manager.get(`/dashboard/outbox/${mail?.id}`)).text()];
  const badge = (state: string) => expect.stringMatching(new RegExp(`<span class="badge[^>]*>${state}<`));
  const [conversation, email] = await both();
  expect(conversation).toContain("Reply to Ada queued. It will be simulated.");
  expect([conversation, email]).toEqual([badge("Queued"), badge("Queued")]);
  await outbox.simulated(db, mail?.id ?? "", now());
  expect(await both()).toEqual([badge("Simulated"), badge("Simulated")]);
  expect((await both())[1]).not.toContain("Logged");

  config.MAILER_API_KEY = "re_test";
  await reply({ text: "Again", do: "send-and-archive" });
  expect(await page()).toContain("Reply to Ada queued, message archived.");
});

test("the notice says for how long a reply can be taken back, which is until its email is due, and who sees a note", async () => {
  const { now, page, reply, replies } = await withMessage();
  await reply({ text: "Dear Ada" });
  const seconds = Number(/You can undo it for (\d+) seconds\./.exec(await page())?.[1]);
  const [mail] = await replies();
  expect(mail?.nextAttemptAt.getTime()).toBe(now().getTime() + seconds * 1_000);
  await reply({ text: "She called", do: "note" });
  expect(await page()).toContain("Note added. Only managers see it.");
});

test("a reply can be taken back until it is sent, and its text is there again", async () => {
  const { db, id, manager, reply, replies, entries, page } = await withMessage();
  await reply({ text: "Too soon", do: "send-and-archive" });
  expect(await messages.byId(db, id)).toMatchObject({ archivedAt: expect.any(Date), repliedAt: expect.any(Date) });
  const [entry] = await entries();
  const undo = `${path}/${id}/entries/${entry?.id}/take-back`;
  expect(await (await manager.submit(undo, {})).text()).toMatch(/>\s*Too soon<\/textarea>/);
  expect([await replies(), await entries()]).toEqual([[], []]);
  expect(await messages.byId(db, id)).toMatchObject({ archivedAt: null, repliedAt: null });
  await reply({ text: "Now" });
  await look(db, "update outbox set attempts = 1 where kind = 'reply'");
  const [sent] = await entries();
  await manager.submit(`${path}/${id}/entries/${sent?.id}/take-back`, {});
  expect(await entries()).toHaveLength(1);
  expect(await page()).toContain("Too late: this reply is being sent.");
});

test("a second Undo says that the reply was already taken back, and one that comes too late what became of it", async () => {
  const { db, id, manager, reply, replies, entries, page, actions, now, signIn } = await withMessage();
  const undo = async (of: string | undefined, by = manager) => {
    await by.submit(`${path}/${id}/entries/${of}/take-back`, {});
    return (await by.get(`${path}/${id}`)).text();
  };
  await reply({ text: "Twice" });
  const [twice] = await entries();
  await undo(twice?.id);
  expect(await undo(twice?.id)).toContain("Nothing was changed: this was already taken back.");
  expect((await actions()).filter((action) => action === "message.take-back")).toHaveLength(1);
  expect(await page()).not.toContain("Too late");

  await reply({ text: "Fate" });
  const [fate] = await entries();
  const [mail] = await replies();
  const becomes = async (set: string) => {
    await look(db, `update outbox set ${set} where kind = 'reply'`);
    return undo(fate?.id);
  };
  expect(await becomes("attempts = 1")).toContain("Too late: this reply is being sent.");
  expect(await becomes("state = 'dead'")).toContain("Nothing was changed: this reply could not be sent.");
  expect(await becomes("state = 'cancelled'")).toContain("this reply was cancelled before it was sent.");
  expect(await becomes("state = 'simulated'")).toContain("Too late: this reply has been simulated.");
  await outbox.sent(db, mail?.id ?? "", "provider-id", now());
  expect(await undo(fate?.id)).toContain("Too late: this reply has been sent.");
  await look(db, "delete from outbox where kind = 'reply'");
  expect(await undo(fate?.id)).toContain("Too late: this reply is no longer queued.");
  expect(await entries()).toHaveLength(1);

  await reply({ text: "Mine", do: "note" });
  const note = (await entries()).find(({ kind }) => kind === "note");
  const colleague = await signIn({ email: "mara@example.com" });
  expect(await undo(note?.id, colleague)).toContain("Nothing was changed: only the author of a note can remove it.");
});

test("above a long message stands a link to the field of its reply, and none where there is no reply to write", async () => {
  const jump = 'href="#reply-text"';
  const { page, manager, id } = await withMessage({ message: "Far below. ".repeat(100) });
  expect(await page()).toContain(jump);
  expect(await page()).toContain('<textarea class="input" id="reply-text"');
  await manager.submit(`${path}/bulk`, { ids: id, do: "spam" });
  expect(await page()).not.toContain(jump);
  expect(await (await withMessage()).page()).not.toContain(jump);
  expect(await (await withMessage({ message: "A poem,\n".repeat(12) })).page()).toContain(jump);
});

test("a message in spam, quarantine or the trash is not answered, and a reply to one is not sent any more", async () => {
  const service = await withMessage();
  const { db, id, manager, page, reply, replies, keyIn, config, now } = service;
  await reply({ text: "Before" });
  const key = keyIn(await page());
  await manager.submit(`${path}/bulk`, { do: "spam", ids: id });
  expect(await page()).not.toContain("reply-text");
  await manager.submit(`${path}/${id}/reply`, { key, do: "send", text: "After" });
  expect(await replies()).toHaveLength(1);
  const [mail] = await replies();
  const never = () => Promise.reject(new Error("was sent"));
  if (mail)
    await deliver(
      {
        ...service,
        config,
        now,
        compose: never,
        provider: service.mail.provider,
        timeoutMs: 1,
        closing: new AbortController().signal,
      },
      mail,
    );
  expect(await replies()).toMatchObject([{ state: "cancelled", lastError: "The message is marked as spam" }]);
  expect(await outboxList.byId(db, mail?.id ?? "")).toMatchObject({ attempts: 0 });
});

test("an answer that names an ID of ours returns its message to the inbox, unread, once", async () => {
  const { db, id, clock, now, reply, written, page, manager } = await withMessage();
  await reply({ text: "Question?", do: "send-and-archive" });
  const sent = await written();
  clock.time += 60_000;
  const answer = {
    mailId: "abc@mail.example",
    references: ["other@x.example", sent?.messageId ?? ""],
    name: hostile,
    email: "ada@home.example",
    text: `Answer ${hostile}`,
  };
  expect(await conversation.recordAnswer(db, answer, now())).toEqual({ outcome: "stored", messageId: id });
  expect(await conversation.recordAnswer(db, answer, now())).toEqual({ outcome: "repeated", messageId: id });
  expect(await messages.byId(db, id)).toMatchObject({ readAt: null, archivedAt: null, surfacedAt: now() });
  const html = await page();
  expect(html).toContain("by email from ada@home.example");
  expect(html).not.toContain("<img src=x");
  const byThread = { ...answer, mailId: "2@mail.example", references: [sent?.headers.References?.slice(1, -1) ?? ""] };
  expect(await conversation.recordAnswer(db, byThread, now())).toMatchObject({ outcome: "stored" });
  const guess = {
    ...answer,
    mailId: "3@mail.example",
    references: [`r.${"0".repeat(32)}.${"0".repeat(16)}@site.example`],
  };
  expect(await conversation.recordAnswer(db, guess, now())).toEqual({ outcome: "unrelated" });
  expect(await (await manager.get(path)).text()).toContain("4 in the conversation");
  await reply({ text: "Thanks" });
  const next = await written(1);
  expect(next?.headers["In-Reply-To"]).toBe("<2@mail.example>");
  expect(next?.text).toContain(`> Answer ${hostile}`);
});

test("what followed a message is found in its box: replies, answers and notes, in any case, literally, until they go", async () => {
  const { db, now, id, manager, reply, written, entries } = await withMessage();
  await submit(db, { name: "Bo", email: "bo@example.com", message: "Something else", source: "landing" }, {}, now());
  await reply({ text: "The STRASSE is 100% closed" });
  await reply({ text: "Колодец first", do: "note" });
  const references = [(await written())?.messageId ?? ""];
  const answer = { mailId: "1@mail.example", references, name: "Ida Ärla", email: "ida@home.example", text: "Grüße" };
  await conversation.recordAnswer(db, answer, now());
  const foundBy = async (q: string, box = "") => {
    const html = await (await manager.get(`${path}?q=${encodeURIComponent(q)}&box=${box}`)).text();
    return [...html.matchAll(/ id="open-([\w-]+)"/g)].map(([, found]) => found);
  };
  for (const q of ["straße", "100%", "КОЛОДЕЦ", "grüsse", "ärla", "home.example"])
    expect([q, ...(await foundBy(q))]).toEqual([q, id]);
  for (const q of ["100%%", "closed\ufdd0", "else first"]) expect([q, ...(await foundBy(q))]).toEqual([q]);
  expect(await foundBy("колодец", "archived")).toEqual([]);
  expect(await (await manager.get("/dashboard/search?q=Grüße")).text()).toContain(`${path}/${id}`);
  const note = (await entries()).find(({ kind }) => kind === "note");
  await conversation.takeBack(db, { messageId: id, id: note?.id ?? "" }, { actor: "owner@example.com" }, now());
  expect(await foundBy("колодец")).toEqual([]);
  await manager.submit(`${path}/bulk`, { do: "archive", all: "matching", filter: "q=grüße" });
  expect([await foundBy("grüße"), await foundBy("grüße", "archived")]).toEqual([[], [id]]);
});

test("a note is never sent, and only who wrote it removes it", async () => {
  const { id, manager, reply, replies, entries, signIn } = await withMessage();
  await reply({ text: "Ask for the year", do: "note" });
  expect(await entries()).toMatchObject([{ kind: "note", text: "Ask for the year" }]);
  expect(await replies()).toEqual([]);
  const colleague = await signIn({ email: "mara@example.com" });
  const [note] = await entries();
  const remove = `${path}/${id}/entries/${note?.id}/take-back`;
  await colleague.submit(remove, {});
  expect(await entries()).toHaveLength(1);
  await manager.submit(remove, {});
  expect(await entries()).toEqual([]);
});

test("a message is assigned, and the list shows whose it is and filters by it", async () => {
  const { db, id, manager, page, signIn, actions } = await withMessage();
  const mara = await signIn({ email: "mara@example.com" });
  const [{ id: maraId = "" } = {}] = await look<{ id: string }>(
    db,
    "select id from managers where email = 'mara@example.com'",
  );
  await manager.submit(`${path}/${id}/assign`, { assignee: maraId });
  expect(await page()).toContain("Message from Ada assigned to Olive Owner (mara@example.com).");
  expect(await (await manager.get(path)).text()).toContain("Assigned to Olive Owner (mara@example.com)");
  expect(await (await mara.get(`${path}?assignee=${maraId}`)).text()).toContain("Assigned to you");
  await manager.submit(`${path}/${id}/assign`, { assignee: "nobody" });
  expect(await messages.byId(db, id)).toMatchObject({ assigneeId: maraId });
  await manager.submit(`${path}/${id}/assign`, { assignee: "" });
  expect(await messages.byId(db, id)).toMatchObject({ assigneeId: null });
  expect((await actions()).filter((action) => action.includes("assign"))).toEqual([
    "message.assign",
    "message.unassign",
  ]);
});

test("a snoozed message is out of the inbox, and comes back at its time, on top and unread", async () => {
  const { db, id, clock, now, manager, page } = await withMessage();
  await page();
  await manager.submit(`${path}/${id}/snooze`, { until: "tomorrow" });
  expect(await messageList.counts(db)).toMatchObject({ inbox: 0, snoozed: 1 });
  const until = (await messages.byId(db, id))?.snoozedUntil;
  await messages.wakeSnoozed(db, now());
  expect(await messageList.counts(db)).toMatchObject({ snoozed: 1 });
  clock.time = until?.getTime() ?? 0;
  await messages.wakeSnoozed(db, now());
  expect(await messages.byId(db, id)).toMatchObject({ snoozedUntil: null, readAt: null, surfacedAt: now() });
  for (const fields of [
    { until: "at", at: "2001-01-01T00:00" },
    { until: "at", at: "2099-01-01T00:00" },
    { until: "x" },
  ])
    await manager.submit(`${path}/${id}/snooze`, fields);
  expect(await messageList.counts(db)).toMatchObject({ inbox: 1, snoozed: 0 });
});

test("a snippet is inserted with the person's name, and managed on a page of its own", async () => {
  const { manager, reply, page } = await withMessage();
  const snippets = `${path}/snippets`;
  expect(
    (await manager.submit(snippets, { name: "Thanks", text: `Thank you, {name}. {name, "x"} ${hostile}` })).status,
  ).toBe(303);
  const html = await page();
  const [, snippet = ""] = /value="insert:([^"]+)"/.exec(html) ?? [];
  expect(html).not.toContain("<img src=x");
  const inserted = await (await reply({ do: `insert:${snippet}`, text: "Dear Ada," })).text();
  expect(inserted).toMatch(/Dear Ada,\n\nThank you, Ada. Ada &quot;|Dear Ada,\n\nThank you, Ada. Ada "/);
  expect((await manager.submit(snippets, { name: "", text: "x" })).status).toBe(422);
  await manager.submit(`${snippets}/${snippet}`, { name: "Thanks again", text: "Thank you." });
  expect(await (await manager.get(snippets)).text()).toContain("Thanks again");
  await manager.submit(`${snippets}/${snippet}/delete`, {});
  expect(await (await manager.get(snippets)).text()).toContain("No snippets yet");
});

test("the conversation is in the file about a person, and erased with the messages, wherever they wrote from", async () => {
  const { db, id, clock, now, reply, written, entries, replies } = await withMessage();
  await reply({ text: "Question?" });
  const sent = await written();
  clock.time += 1_000;
  const answer = {
    mailId: "a@x.example",
    references: [sent?.messageId ?? ""],
    name: "Bo",
    email: "bo@home.example",
    text: "Yes",
  };
  await conversation.recordAnswer(db, answer, now());
  const fileOf = async (email: string) => {
    let text = "";
    for await (const part of personJson(db, await tracesOf(db, email), now())) text += part;
    return JSON.parse(text).conversation;
  };
  expect(await fileOf("ada@example.com")).toMatchObject([{ kind: "answer" }, { kind: "reply", text: "Question?" }]);
  expect(await fileOf("bo@home.example")).toMatchObject([{ kind: "answer", text: "Yes" }]);
  const by = { actor: "owner@example.com", via: "manager" as const };
  await erase(db, { id: "e1", email: "bo@home.example", scope: ["messages"] }, by, now());
  expect(await entries()).toMatchObject([{ kind: "reply" }]);
  await erase(db, { id: "e2", email: "ada@example.com", scope: ["messages"] }, by, now());
  expect([await messages.byId(db, id), await entries()]).toEqual([undefined, []]);
  expect(await replies()).toMatchObject([{ recipient: "erased", state: "cancelled" }]);
});
