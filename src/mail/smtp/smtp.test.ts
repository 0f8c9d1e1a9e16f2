import { afterEach, expect, test } from "bun:test";
import { certificate } from "../../../test/support/providers/certificate";
import { smtpSink } from "../../../test/support/providers/smtp";
import { Pace } from "../pace";
import type { Email } from "../provider";
import { openSmtp } from "./smtp";
import type { SmtpServer } from "../../platform/mail-urls";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function smtp(options: Parameters<typeof smtpSink>[0] = {}, more: Partial<SmtpServer> = {}, ca?: string) {
  const sink = await smtpSink(options);
  const clock = { time: Date.parse("2026-11-22T12:00:00Z") };
  const pace = new Pace(() => new Date(clock.time), 1e9);
  const server: SmtpServer = { host: "127.0.0.1", port: sink.port, tls: "none", pool: 2, ...more };
  const provider = openSmtp({ server, pace, ...(ca && { ca }) });
  afterwards.push(sink.stop, () => provider.close());
  return {
    sink,
    pace,
    clock,
    provider,
    send: (to: string, more?: Partial<Email>) => provider.send(email(to, more), ""),
  };
}

const link = `https://x.example/api/newsletter/unsubscribe?email=${"a".repeat(100)}%40example.com&token=${"t".repeat(64)}`;
const email = (to: string, more: Partial<Email> = {}): Email => ({
  from: "Ada’s Notes <ada@x.example>",
  to,
  subject: "Größe, 尺寸 and more",
  html: `<p>Größe ${"x".repeat(2_000)}</p>`,
  text: "Größe\n.\n.end",
  headers: { "List-Unsubscribe": `<${link}>`, "List-Id": "<n.x.example>" },
  messageId: "m.1@x.example",
  ...more,
});

test("a header with a quoted name arrives as it was written", async () => {
  const { sink, send } = await smtp();
  const listId = '"Noor Halvorsen: small software, carefully" <newsletter.noor.example>';
  await send("a@example.com", { headers: { "List-Id": listId, "X-Two": "one\r\nX-Three: two" } });
  const lines = sink.messages[0]?.raw.replace(/\r\n[ \t]/g, " ").split("\r\n") ?? [];
  expect(lines.find((line) => line.toLowerCase().startsWith("list-id:"))?.slice(9)).toBe(listId);
  expect(lines.filter((line) => line.startsWith("X-Three"))).toEqual([]);
});

test("an email arrives in text and HTML, with its headers and its Message-ID", async () => {
  const { sink, send } = await smtp();
  expect(await send("a@example.com", { replyTo: '"Hana Sato" <hana@example.com>' })).toEqual({
    kind: "accepted",
    ids: [null],
  });
  const [message] = sink.messages;
  expect(message).toMatchObject({ from: "ada@x.example", to: "a@example.com" });
  const raw = message?.raw.replace(/\r\n[ \t]/g, " ") ?? "";
  for (const line of [
    "Message-ID: <m.1@x.example>",
    `List-Unsubscribe: <${link}>`,
    "List-ID: <n.x.example>",
    "Reply-To: Hana Sato <hana@example.com>",
    "To: a@example.com",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Type: text/html; charset=utf-8",
  ])
    expect(raw.split("\r\n").map((each) => each.replaceAll('"', ""))).toContain(line);
  expect(raw).toMatch(/\r\nSubject: =\?UTF-8\?[BQ]\?/);
  expect(raw).toContain("Gr=C3=B6=C3=9Fe"); // quoted-printable, with the dots unchanged
  expect(raw).toMatch(/\r\n\.\r?\n\.end/);
  expect(raw.split("\r\n").every((line) => Buffer.byteLength(line) < 998)).toBe(true);
});

test("a login goes through STARTTLS or TLS, and only to a server whose certificate is trusted", async () => {
  const login = { user: "ada", password: "p@ss word" };
  for (const [offered, tls] of [
    ["starttls", "required"],
    ["starttls", "offered"],
    ["implicit", "implicit"],
  ] as const) {
    const trusted = await smtp({ tls: offered, login }, { tls, login }, certificate);
    expect([tls, (await trusted.send("a@example.com")).kind]).toEqual([tls, "accepted"]);
    const stranger = await smtp({ tls: offered, login }, { tls, login });
    expect(await stranger.send("a@example.com")).toMatchObject({
      reason: "unavailable",
      message: expect.stringContaining("self signed"),
    });
    expect(stranger.sink.messages).toEqual([]);
  }
  const stripped = await smtp({ login }, { tls: "required", login }, certificate);
  expect(await stripped.send("a@example.com")).toMatchObject({ kind: "refused", reason: "unavailable" });
});

test("a wrong password is the operator's, and is repeated nowhere", async () => {
  const { send, pace } = await smtp(
    { login: { user: "ada", password: "right" } },
    { login: { user: "ada", password: "wr0ng" } },
  );
  const outcome = await send("a@example.com");
  expect(outcome).toMatchObject({ reason: "credentials", message: "535 5.7.8 Bad credentials: …" });
  expect(pace.pausedUntil).toBeUndefined();
});

test("each recipient has a result of its own, and the connection goes on", async () => {
  const { sink, send } = await smtp({}, { pool: 1 });
  sink.behave = (command, address) => {
    if (command === "RCPT" && address.startsWith("gone")) return { code: 550, text: "5.1.1 No such user" };
    if (command === "RCPT" && address.startsWith("later")) return { code: 450, text: "4.2.0 Greylisted" };
    if (command === "DATA" && address.startsWith("spam")) return { code: 554, text: "5.7.1 Spam" };
  };
  const outcomes: string[] = [];
  for (const name of ["a", "gone", "b", "later", "spam", "c"]) {
    const outcome = await send(`${name}@example.com`);
    outcomes.push("reason" in outcome ? outcome.reason : outcome.kind);
  }
  expect(outcomes).toEqual(["accepted", "bounced", "accepted", "deferred", "invalid", "accepted"]);
  expect([...sink.counts]).toEqual(["a", "b", "c"].map((name) => [`${name}@example.com`, 1]));
  expect(sink.connections).toBe(1);
});

test("an answer that is lost after the message was read is unknown, and nothing is repeated", async () => {
  const { sink, send, pace } = await smtp();
  await send("first@example.com"); // so that the connection is reused
  for (const [command, delivered] of [
    ["DATA", undefined],
    ["ACCEPTED", 1],
  ] as const) {
    sink.behave = (at) => (at === command ? "reset" : undefined);
    const to = `${command.toLowerCase()}@example.com`;
    expect(await send(to)).toMatchObject({ kind: "unknown" });
    expect(sink.counts.get(to)).toBe(delivered);
  }
  expect(pace.pausedUntil).toBeUndefined();
});

test("an idle connection that the server closed is replaced silently", async () => {
  const { sink, send } = await smtp({}, { pool: 1 });
  await send("a@example.com");
  sink.behave = (command) => (command === "MAIL" && sink.connections === 1 ? "reset" : undefined);
  expect(await send("b@example.com")).toMatchObject({ kind: "accepted" });
  sink.closeConnections();
  expect(await send("c@example.com")).toMatchObject({ kind: "accepted" });
  expect([sink.counts.size, sink.connections]).toEqual([3, 3]);
});

test("a server that cannot be reached or is closing rests everyone, longer each time", async () => {
  const { sink, send, pace, clock } = await smtp();
  sink.behave = (command) => (command === "CONNECT" ? { code: 421, text: "4.7.0 Too many connections" } : undefined);
  expect(await send("a@example.com")).toMatchObject({
    kind: "refused",
    reason: "unavailable",
    message: "421 4.7.0 Too many connections",
  });
  expect(pace.pausedUntil).toEqual(new Date(clock.time + 5_000));
  clock.time += 5_000;
  await sink.stop();
  expect(await send("a@example.com")).toMatchObject({
    reason: "unavailable",
    message: expect.stringContaining("No response from the provider: "),
  });
  expect(pace.pausedUntil).toEqual(new Date(clock.time + 10_000));
});

test("there are never more connections than the pool allows", async () => {
  const { sink, provider, send } = await smtp({}, { pool: 3 });
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => send(`r${i}@example.com`)));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
  expect([sink.counts.size, sink.connections, provider.maxConcurrent]).toEqual([40, 3, 3]);
});

test("cut off before the message was asked for it was not sent; afterwards no one knows", async () => {
  for (const [command, kind] of [
    ["RCPT", "refused"],
    ["DATA", "unknown"],
  ] as const) {
    const { sink, provider, pace } = await smtp();
    const stopping = new AbortController();
    sink.behave = (at) => (at === command ? (stopping.abort(), "hang") : undefined);
    expect((await provider.send(email("a@example.com"), "", stopping.signal)).kind).toBe(kind);
    expect(pace.pausedUntil).toBeUndefined();
  }
});

test("an address that is more than one, or has more than the server speaks, is not sent", async () => {
  const { sink, provider, send } = await smtp();
  for (const to of ["a@example.com, b@example.com", "a@example.com\r\nRCPT TO:<b@example.com>", "<a@example.com>"])
    expect(await send(to)).toMatchObject({ kind: "refused", reason: "invalid" });
  expect(await provider.sendBatch([email("a@x.example"), email("b@x.example")], "")).toMatchObject({ kind: "refused" });
  expect([sink.counts.size, sink.connections]).toEqual([0, 0]);
});
