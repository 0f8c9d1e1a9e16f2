import { afterEach, expect, test } from "bun:test";
import * as submissions from "../../db/contact/submissions";
import { claim } from "../../db/mail/claim";
import * as outboxList from "../../db/mail/list";
import { ofAddress } from "../../db/suppressions/suppressions";
import { testService } from "../../test/support/service";
import { smtpSink } from "../../test/support/providers/smtp";
import { deliver } from "./deliver";
import { openMail } from "./open";
import { composer, startWorker } from "../../test/support/outbox";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

/** A service that sends by SMTP, only when told to. */
async function mailroom() {
  const sink = await smtpSink();
  const service = await testService({ MAILER_API_KEY: sink.url, MAIL_FROM: "Site <site@x.example>" });
  const worker = startWorker(service, { everyMs: 1e9 });
  afterwards.push(sink.stop, worker.close);
  const mails = async () => (await outboxList.list(service.db, {}, { page: 1, per: 100 })).rows;
  const subscribe = (email: string) => service.post("/api/newsletter/subscribe", { email });
  return { ...service, sink, worker, mails, subscribe };
}

const messageIdOf = (raw = "") => /^Message-ID: <(.+)>\r?$/m.exec(raw)?.[1];

test("welcome and notification go through the SMTP server, with what the visitor wrote as no header", async () => {
  const { db, now, sink, worker, mails, subscribe } = await mailroom();
  await subscribe("hana@example.com");
  const name = "Hana\r\nBcc: x@y.example";
  const words = { name, email: "hana@example.com", message: "Hello, may I ask you something?", source: "blog" };
  await submissions.submit(db, words, { recipient: "owner@example.com" }, now());
  await worker.drain();
  expect((await mails()).map(({ state }) => state)).toEqual(["sent", "sent"]);
  expect(sink.messages.map(({ from, to }) => [from, to]).sort()).toEqual([
    ["site@x.example", "hana@example.com"],
    ["site@x.example", "owner@example.com"],
  ]);
  for (const { raw } of sink.messages) {
    const head = raw.slice(0, raw.indexOf("\r\n\r\n"));
    expect(head).not.toMatch(/^bcc:/im);
    expect(head.match(/^To: /gm)).toHaveLength(1);
  }
  expect(sink.messages.some(({ raw }) => /^List-Unsubscribe:\s+<http/m.test(raw))).toBe(true);
});

test("if its response was lost it is sent again, under the same Message-ID", async () => {
  const { clock, sink, worker, mails, subscribe } = await mailroom();
  sink.behave = (command) => (command === "ACCEPTED" ? "reset" : undefined);
  await subscribe("hana@example.com");
  await worker.drain();
  expect(await mails()).toMatchObject([
    { state: "queued", attempts: 1, lastError: expect.stringMatching(/^No response from the provider: /) },
  ]);
  sink.behave = () => undefined;
  clock.time += 5_000;
  await worker.drain();
  const [mail] = await mails();
  expect(mail).toMatchObject({ state: "sent", attempts: 2 });
  expect(sink.messages.map(({ raw }) => messageIdOf(raw))).toEqual(Array(2).fill(`m.${mail?.id}@x.example`));
});

test("an address that does not exist fails immediately, one that is not accepted now is retried", async () => {
  const { db, clock, sink, worker, mails, subscribe } = await mailroom();
  sink.behave = (command, address) => {
    if (command !== "RCPT" || address.startsWith("good")) return undefined;
    return address.startsWith("gone")
      ? { code: 550, text: "5.1.1 No such user" }
      : { code: 450, text: "4.2.0 Greylisted" };
  };
  for (const name of ["good", "gone", "grey"]) await subscribe(`${name}@example.com`);
  await worker.drain();
  const states = async () =>
    Object.fromEntries((await mails()).map(({ recipient, state }) => [recipient.slice(0, 4), state]));
  expect(await states()).toEqual({ good: "sent", gone: "dead", grey: "queued" });
  const isSuppressed = async (name: string) => Boolean(await ofAddress(db, `${name}@example.com`));
  expect(await Promise.all(["good", "gone", "grey"].map(isSuppressed))).toEqual([false, true, false]);
  sink.behave = () => undefined;
  clock.time += 5_000;
  await worker.drain();
  expect(await states()).toEqual({ good: "sent", gone: "dead", grey: "sent" });
});

test("an SMTP refusal of a single email suppresses if the mailbox does not exist; any other only fails", async () => {
  const { db, sink, worker, mails, subscribe } = await mailroom();
  const refusals: Record<string, { code: number; text: string }> = {
    gone: { code: 550, text: "5.1.1 No such user" },
    disabled: { code: 550, text: "5.2.1 Mailbox disabled" },
    policy: { code: 550, text: "5.7.1 Rejected by policy" },
    plain: { code: 550, text: "Requested action not taken" },
    large: { code: 552, text: "5.3.4 Message too big" },
  };
  sink.behave = (command, address) => (command === "RCPT" ? refusals[address.split("@")[0] ?? ""] : undefined);
  for (const name of Object.keys(refusals)) await subscribe(`${name}@example.com`);
  await worker.drain();
  expect((await mails()).map(({ state }) => state)).toEqual(Array(5).fill("dead"));
  const reasonOf = async (name: string) => (await ofAddress(db, `${name}@example.com`))?.reason;
  const reasons = await Promise.all(Object.keys(refusals).map(reasonOf));
  expect(reasons).toEqual(["bounce", "bounce", undefined, undefined, undefined]);
});

test("while the server cannot be reached emails wait, and waiting costs no attempt", async () => {
  const { clock, sink, worker, mails, subscribe } = await mailroom();
  sink.behave = (command) => (command === "CONNECT" ? { code: 421, text: "4.3.2 Shutting down" } : undefined);
  await subscribe("first@example.com");
  await worker.drain();
  await subscribe("second@example.com");
  await worker.drain();
  expect((await mails()).map(({ recipient, attempts }) => [recipient, attempts]).sort()).toEqual([
    ["first@example.com", 1],
    ["second@example.com", 0],
  ]);
  sink.behave = () => undefined;
  clock.time += 5_000;
  await worker.drain();
  expect((await mails()).map(({ state }) => state)).toEqual(["sent", "sent"]);
});

test("a process that was paused after its claim sends nothing that another sends, or is about to", async () => {
  const { config, db, log, now, clock, sink, worker, mails, subscribe } = await mailroom();
  const { provider } = openMail({ config, now });
  afterwards.push(() => provider.close());
  const compose = composer({ config, db });
  const paused = { config, db, log, now, compose, provider, timeoutMs: 40_000, closing: new AbortController().signal };
  for (const [ms, address] of [
    [60_000, "ada@example.com"], // sent by another
    [20_001, "bob@example.com"], // an attempt could last until another claims it
  ] as const) {
    await subscribe(address);
    const [mine] = await claim(db, 10, now());
    if (!mine) throw new Error("Nothing was claimed");
    clock.time += ms;
    await worker.drain();
    expect(await deliver(paused, mine)).toBe(false);
    clock.time += 60_000;
    await worker.drain();
    expect(await mails()).toContainEqual(expect.objectContaining({ recipient: address, state: "sent", attempts: 2 }));
  }
  expect(sink.messages).toHaveLength(2);
});
