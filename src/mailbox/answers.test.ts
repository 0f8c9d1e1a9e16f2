import { expect, test } from "bun:test";
import { conversationOf, reply } from "../../db/contact/conversation";
import * as messages from "../../db/contact/messages";
import { submit } from "../../db/contact/submissions";
import { mailboxState } from "../../db/mailbox/position";
import { imapServer } from "../../test/support/mailbox/imap";
import { samples } from "../../test/support/mailbox/samples";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { mailboxName, readMailboxUrl } from "../platform/mail-urls";
import { startReading } from "./reader";

/** A mailbox, and a message that was answered from the dashboard. */
async function stage() {
  const imap = await imapServer();
  const service = await testService({ BOUNCE_MAILBOX: imap.url });
  const { db, clock, now } = service;
  const whole = { name: "Ada", email: "ada@example.com", message: "Hello there, all of you", source: "landing" };
  const submitted = await submit(db, whole, {}, now());
  const messageId = "id" in submitted ? submitted.id : "";
  const id = crypto.randomUUID();
  await reply(
    db,
    { messageId, id, text: "Question?", isDone: true, domain: "site.example" },
    { actor: "x@y.z" },
    now(),
  );
  const [entry] = (await conversationOf(db, messageId)).entries;
  const server = readMailboxUrl(imap.url);
  clock.time += 60_000;
  let reader: ReturnType<typeof startReading>;
  return {
    ...{ ...service, imap, messageId, mailId: entry?.mailId ?? "" },
    name: typeof server === "string" ? server : mailboxName(server),
    async readAll() {
      reader = startReading(service, { lookEveryMs: 5 });
      await imap.when(() => imap.isWatched());
    },
    answers: async () =>
      (await conversationOf(db, messageId)).entries
        .filter(({ kind }) => kind === "answer")
        .map(({ name, email, text }) => ({ name, email, text })),
    async [Symbol.asyncDispose]() {
      await reader?.close();
      await imap[Symbol.asyncDispose]();
      await db.close();
    },
  };
}

const answer = (to: string, body: string, more: string[] = []) =>
  [
    "From: =?utf-8?q?Ada_L=C3=B6wenherz?= <ada@home.example>",
    "Subject: Re: Your message",
    `Message-ID: <${crypto.randomUUID()}@home.example>`,
    `In-Reply-To: <${to}>`,
    "Content-Type: text/plain; charset=utf-8",
    ...more,
    "",
    body,
  ].join("\r\n");

test("an answer by email joins its conversation, which returns to the inbox unread, without what it quotes", async () => {
  await using at = await stage();
  const { db, imap, mailId, messageId, now, readAll, answers, name } = at;
  const quoted =
    "Yes, on Monday.\r\n\r\nOn 21 November 2026, Site <hello@site.example>\r\nwrote:\r\n> Question?\r\n> Really?\r\n";
  imap.deliver(answer(mailId, quoted), now());
  await readAll();
  expect(await answers()).toEqual([{ name: "Ada Löwenherz", email: "ada@home.example", text: "Yes, on Monday." }]);
  expect(await messages.byId(db, messageId)).toMatchObject({ readAt: null, archivedAt: null });
  expect(imap.messages[0]?.isSeen).toBe(true);
  expect(await mailboxState(db, name)).toMatchObject({ answers: 1, reports: 0 });
});

test.each([
  ["between what it quotes", "> One?\nYes\n> Two?\nNo", "Yes\nNo"],
  ["above Outlook's line", `Yes\n\n${"_".repeat(32)}\nFrom: Site\nSent: Monday\n\nQuestion?`, "Yes"],
  ["above a separator", "Ja\n\n-----Ursprüngliche Nachricht-----\nVon: Site\n\nQuestion?", "Ja"],
  ["that only looks like a quotation", "On the wall he wrote:\nHello", "On the wall he wrote:\nHello"],
  ["of which nothing else is left", "> Question?", "> Question?"],
  [
    "below a separator only",
    "-----Original Message-----\n> One?\nQuestion",
    "-----Original Message-----\n> One?\nQuestion",
  ],
  ["with control characters", "Ye\0s\u0007", "Yes"],
])("of an answer stays what the person wrote: %s", async (_, body, text) => {
  await using at = await stage();
  at.imap.deliver(answer(at.mailId, body), at.now());
  await at.readAll();
  expect((await at.answers()).map((each) => each.text)).toEqual([text]);
});

test("of an answer in HTML alone the words are kept, and shown as words", async () => {
  await using at = await stage();
  const { imap, mailId, now, readAll, answers, signIn, messageId } = at;
  const html =
    "<style>p{}</style><p>Tom &amp; &lt;img src=x onerror=alert(1)&gt;</p><blockquote>Question?</blockquote>";
  imap.deliver(answer(mailId, html).replace("text/plain", "text/html"), now());
  await readAll();
  expect((await answers()).map(({ text }) => text)).toEqual(["Tom & <img src=x onerror=alert(1)>"]);
  const page = await (await (await signIn()).get(`/dashboard/contact/${messageId}`)).text();
  expect(page).toContain("Tom &amp; &lt;img src=x");
  expect(page).not.toContain("<img src=x");
});

test("of the emails that an answer names, the last hundred are looked for", async () => {
  await using at = await stage();
  const { imap, mailId, now, readAll, answers } = at;
  const named = (others: number) =>
    `References: <${mailId}>${Array.from({ length: others }, (_, n) => ` <${n}@else.example>`).join("")}`;
  for (const others of [98, 99]) imap.deliver(answer("last@else.example", `After ${others}`, [named(others)]), now()); // and In-Reply-To
  await readAll();
  expect((await answers()).map(({ text }) => text)).toEqual(["After 98"]);
});

test("an email that answers nothing of ours, an automatic one and a forged one are left alone", async () => {
  await using at = await stage();
  const { imap, mailId, now, readAll, answers } = at;
  const guessed = `r.${"0".repeat(32)}.${"0".repeat(16)}@site.example`;
  const others = [
    answer("unknown@elsewhere.example", "Hello"),
    answer(guessed, "Hello"),
    ...[
      ...["Auto-Submitted: auto-replied", "Precedence: bulk", "Precedence: junk", "Precedence: list"],
      ...["Precedence: auto_reply", "X-Autoreply: yes", "X-Autorespond: yes", "X-Auto-Response-Suppress: All"],
      ...["List-Id: <friends.example>", "Return-Path: <>"],
    ].map((field) => answer(mailId, "I am away", [field])),
    answer(mailId, "Hello").replace("ada@home.example>", "nobody>"),
  ];
  for (const raw of others) imap.deliver(raw, now());
  await readAll();
  expect(await answers()).toEqual([]);
  expect(imap.messages.filter(({ isSeen }) => isSeen)).toEqual([]);
});

test("a reply that came back is no answer: its address is suppressed, and its email says why", async () => {
  await using at = await stage();
  const { db, imap, mailId, now, clock, readAll, answers } = at;
  await look(db, `update outbox set state = 'sent', sent_at = ${clock.time}`);
  imap.deliver(samples[0]?.write({ messageId: mailId, to: "ada@example.com" }) ?? "", now());
  await readAll();
  expect(await answers()).toEqual([]);
  expect(await look(db, "select email, reason from suppressions")).toEqual([
    { email: "ada@example.com", reason: "bounce" },
  ]);
  expect(await look(db, "select last_error from outbox where kind = 'reply'")).toEqual([
    { last_error: "Bounced: 5.1.1 550 5.1.1 No such user" },
  ]);
});
