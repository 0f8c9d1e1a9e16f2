import { expect, test } from "bun:test";
import * as submissions from "../../../db/contact/submissions";
import * as outbox from "../../../db/mail/outbox";
import * as outboxList from "../../../db/mail/list";
import * as position from "../../../db/mailbox/position";
import * as subscribers from "../../../db/newsletter/subscribers";
import { startWorker } from "../../../test/support/outbox";
import { unsubscribeLink } from "../../security/links";
import { testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const path = "/dashboard/outbox";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
const hostile = `"><img src=x onerror=alert(1)>`;

/** A service that sent, or simulated, a welcome email and a notification, and a signed-in manager. */
async function withEmails(env: Record<string, string> = {}) {
  const service = await testService(env);
  const { db, now, clock } = service;
  const manager = await service.signIn();
  await subscribers.subscribe(db, { email: "ada@example.com", name: "Ada" }, { via: "form" }, now());
  clock.time += 1_000;
  const circumstances = { recipient: "owner@example.com" };
  const message = { name: hostile, email: "bo@example.com", message: `${hostile} hello`, source: hostile };
  await submissions.submit(db, message, circumstances, now());
  const mailOf = async (kind: outbox.Mail["kind"]) => {
    const mail = (await outboxList.list(db, { kind }, { page: 1, per: 1 })).rows[0];
    if (!mail) throw new Error(`no ${kind} mail`);
    return mail;
  };
  const work = async () => {
    const worker = startWorker({ ...service }, { everyMs: 1e9 });
    await worker.drain();
    await worker.close();
  };
  const die = async (id: string) =>
    await look(db, "update outbox set state = 'dead', attempts = 10, last_error = ? where id = ?", [
      `422: ${hostile}`,
      id,
    ]);
  const text = async (query = "", more = {}) => (await manager.get(path + query, more)).text();
  const listed = async (query = "") =>
    [...(await text(query)).matchAll(/class="who"[^>]*>([^<]+)</g)].map(([, to]) => to);
  return { ...service, manager, mailOf, work, die, text, listed };
}

test("the list shows every email, filtered by kind, state and recipient", async () => {
  const { listed, die, mailOf, text } = await withEmails();
  expect(await listed()).toEqual(["owner@example.com", "ada@example.com"]);
  expect(await listed("?kind=welcome")).toEqual(["ada@example.com"]);
  expect(await listed("?q=OWNER")).toEqual(["owner@example.com"]);
  await die((await mailOf("contact")).id);
  expect(await listed("?state=dead")).toEqual(["owner@example.com"]);
  expect(await text("?state=dead")).toContain("1 email could not be sent.");
  expect(await listed("?state=sent")).toEqual([]);
  expect(await text("?state=sent")).toContain("No matching emails");
});

test("the list says which emails are not in it: those of broadcasts and sequences, and where they are", async () => {
  const { text } = await withEmails();
  const lead = /<h1[^>]*>Emails<\/h1>\s*<p[^>]*>([\s\S]*?)<\/p>/.exec(await text())?.[1] ?? "";
  expect(lead.replace(/\s+/g, " ")).toContain(
    "Emails to one person, and their delivery status. Those of broadcasts and sequences are on the page of each subscriber.",
  );
});

test("an email has the same name in its row, as its title and as the heading of its page, with the subject below", async () => {
  const { manager, mailOf, listed } = await withEmails();
  for (const [at, kind] of (["contact", "welcome"] as const).entries()) {
    const { id, recipient } = await mailOf(kind);
    const page = await (await manager.get(`${path}/${id}`)).text();
    expect((await listed())[at]).toBe(recipient);
    expect(page).toContain(`<title>Email to ${recipient} ·`);
    expect(page).toMatch(new RegExp(`<h1>${recipient}</h1><p>[^<]+</p>`));
  }
});

test("a list shows the status of rows that differ; that an email was sent is said alone", async () => {
  const { mailOf, die, text, db } = await withEmails();
  await look(db, "update outbox set state = 'sent'");
  await die((await mailOf("contact")).id);
  const states = (page: string) =>
    [...page.matchAll(/<td class="state" role="cell"><span class="([^"]+)">([^<]+)/g)].map(([, ...found]) => found);
  expect(states(await text())).toEqual([
    ["badge bad", "Failed"],
    ["usual", "Sent"],
  ]);
});

test("says that nothing leaves while there is no provider, and nothing when there is one", async () => {
  expect(await (await withEmails()).text()).toContain("Emails are not being sent.");
  expect(await (await withEmails({ MAILER_API_KEY: "re_test" })).text()).not.toContain("Emails are not being sent.");
  const { signIn } = await testService();
  expect(await (await (await signIn()).get(path)).text()).toContain("No emails yet");
});

test("without a provider, everything an email says can be read; its link opens nothing", async () => {
  const { manager, mailOf, work, config } = await withEmails();
  await work();
  const { id, state } = await mailOf("welcome");
  const page = await (await manager.get(`${path}/${id}`)).text();
  expect([state, page.includes("Simulated")]).toEqual(["simulated", true]);
  for (const said of ["Welcome to localhost:3000", "List-Unsubscribe", "Thank you for subscribing", "token=…"])
    expect(page).toContain(said);

  const preview = await manager.get(`${path}/${id}/preview`);
  const html = await preview.text();
  expect([preview.status, preview.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(html).toContain("You’re subscribed");
  const [, token = "none"] = /token=([^&]+)/.exec(unsubscribeLink(config, "ada@example.com")) ?? [];
  expect([html.includes(token), page.includes(token)]).toEqual([false, false]);
});

test("the preview is caged: it runs, loads and frames nothing, and only its own page may frame it", async () => {
  const { manager, mailOf } = await withEmails();
  const { id } = await mailOf("contact");
  const policy = async (at: string) => (await manager.get(at)).headers.get("content-security-policy");
  expect(await policy(`${path}/${id}/preview`)).toBe(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  );
  expect(await policy(`${path}/${id}`)).toEndWith("; frame-src 'self'");
  expect(await policy(path)).not.toContain("frame-src");
  expect(await (await manager.get(`${path}/${id}`)).text()).toContain(`<iframe src="${path}/${id}/preview" sandbox`);
});

test("what visitors wrote stays text, on the page and in the preview", async () => {
  const { manager, mailOf, die, text } = await withEmails();
  const { id } = await mailOf("contact");
  await die(id);
  const pages = [
    await text(),
    await (await manager.get(`${path}/${id}`)).text(),
    await (await manager.get(`${path}/${id}/preview`)).text(),
  ];
  expect(pages.map((page) => [page.includes("<img"), page.includes("&gt;&lt;img")])).toEqual(
    Array(3).fill([false, true]),
  );
});

test("a failed email is sent again, a waiting one is not sent, and both are noted", async () => {
  const { manager, mailOf, die, db } = await withEmails();
  const [welcome, contact] = [await mailOf("welcome"), await mailOf("contact")];
  await die(welcome.id);
  const retried = await manager.submit(`${path}/${welcome.id}/retry`);
  expect([retried.status, retried.headers.get("location")]).toEqual([303, `${path}/${welcome.id}`]);
  expect(await mailOf("welcome")).toMatchObject({ state: "queued", attempts: 0 });
  await manager.submit(`${path}/${contact.id}/cancel`);
  expect(await mailOf("contact")).toMatchObject({ state: "cancelled", lastError: "Cancelled by owner@example.com" });
  await manager.submit(`${path}/${contact.id}/cancel`);
  expect(await (await manager.get(`${path}/${contact.id}`)).text()).toContain(
    "Too late: this email is no longer queued.",
  );
  expect(await look(db, "select action, target from audit_events where action like 'mail.%'")).toEqual([
    { action: "mail.retry", target: "ada@example.com" },
    { action: "mail.cancel", target: "owner@example.com" },
  ]);
});

test("what was sent is never sent again", async () => {
  const { manager, mailOf, db, now } = await withEmails({ MAILER_API_KEY: "re_test" });
  const { id } = await mailOf("welcome");
  await outbox.sent(db, id, "re_1", now());
  await manager.submit(`${path}/${id}/retry`);
  expect(await mailOf("welcome")).toMatchObject({ state: "sent" });
  expect(await (await manager.get(`${path}/${id}`)).text()).not.toContain('id="retry"');
});

test("all that failed are retried in one action, and nothing else is", async () => {
  const { manager, mailOf, die, work } = await withEmails();
  await work();
  await die((await mailOf("welcome")).id);
  const answer = await manager.submit(`${path}/bulk`, { do: "retry", all: "matching", filter: "" }, htmx);
  const text = await answer.text();
  expect([answer.status, answer.headers.get("hx-retarget")]).toEqual([200, "#list"]);
  expect(text).toContain("Email to ada@example.com queued.");
  expect([(await mailOf("welcome")).state, (await mailOf("contact")).state]).toEqual(["queued", "simulated"]);
  const again = await manager.submit(`${path}/bulk`, { do: "retry", all: "matching", filter: "" }, htmx);
  expect(await again.text()).toContain("Nothing to retry");
});

test("an email whose subject was deleted says so; one that never was is not there", async () => {
  const { manager, mailOf, db } = await withEmails();
  const { id } = await mailOf("contact");
  await look(db, "delete from messages");
  expect(await (await manager.get(`${path}/${id}`)).text()).toContain("has been deleted, so it can no longer be shown");
  expect((await manager.get(`${path}/${id}/preview`)).status).toBe(404);
  expect((await manager.get(`${path}/unknown`)).status).toBe(404);
  expect((await manager.get(`${path}/unknown/preview`)).status).toBe(404);
});

test("says once that later bounces are not known, unless something reports them", async () => {
  const unknown = "Later bounces are not known.";
  const smtp = { MAILER_API_KEY: "smtp://127.0.0.1:25" };
  expect((await (await withEmails(smtp)).text()).split(unknown)).toHaveLength(2);
  expect(await (await withEmails({ MAILER_API_KEY: "re_test" })).text()).toContain(unknown);
  const secret = `whsec_${Buffer.alloc(24).toString("base64")}`;
  const reported = await withEmails({ MAILER_API_KEY: "re_test", MAILER_WEBHOOK_SECRET: secret });
  expect(await reported.text()).not.toContain(unknown);
  expect(await (await withEmails()).text()).not.toContain(unknown); // nothing is sent
});

test("says when the mailbox was read, and why it cannot be, without its password", async () => {
  const name = "ada@x.example, INBOX";
  const BOUNCE_MAILBOX = "imaps://ada%40x.example:p%40ssword@imap.example.com/INBOX";
  const { text, db, now, clock } = await withEmails({ MAILER_API_KEY: "smtp://127.0.0.1:25", BOUNCE_MAILBOX });
  const words = async () => (await text()).replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
  expect(await words()).toContain(`answers are read from ${name}. It has not been read yet.`);
  await position.beginReading(db, name, 1, now());
  await position.recordProgress(db, name, { lastUid: 7, reports: 3, answers: 1, isComplete: true }, now());
  clock.time += 5 * 60_000;
  expect(await words()).toContain(`answers are read from ${name}, last 5 minutes ago: 3 reports and 1 answer so far.`);
  await position.recordProblem(db, name, hostile, now());
  const html = await text();
  expect(html).toContain("The mailbox for bounces cannot be read.");
  expect(html).not.toContain("<img src=x");
  expect(html).not.toMatch(/p@ssword|p%40ssword/);
});
