import { afterEach, expect, test } from "bun:test";
import { fakeProvider } from "../../test/support/mail";
import { smtpSink } from "../../test/support/providers/smtp";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { startWorker } from "../../test/support/outbox";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function mailroom(env: Record<string, string>) {
  const service = await testService({ CORS_ORIGINS: "https://x.example", BASE_URL: "https://x.example", ...env });
  const worker = startWorker(service, { everyMs: 1e9 });
  afterwards.push(worker.close);
  return { ...service, worker };
}

const overResend = async () => {
  const provider = await fakeProvider();
  afterwards.push(provider.stop);
  return { provider, ...(await mailroom({ ...provider.env, MAIL_FROM: "Почта <news@почта.рф>" })) };
};
const overSmtp = async () => {
  const commands: string[] = [];
  const log = (...said: unknown[]) => void commands.push(said.map(String).join(" "));
  const logger = { level: () => undefined, trace: log, debug: log, info: log, warn: log, error: log, fatal: log };
  const sink = await smtpSink({ server: { logger } });
  afterwards.push(sink.stop);
  return { sink, commands, ...(await mailroom({ MAILER_API_KEY: sink.url, MAIL_FROM: "Почта <news@почта.рф>" })) };
};

/** Every character that RFC 5322 allows without quotes. */
const everySign = "a!#$%&'*+-/=?^_`{|}~b.c";
const [typed, sent] = ["user@почта.рф", "user@xn--80a1acny.xn--p1ai"];
const contact = { name: "Анна", message: "Hello, is this thing on?" };

test("a domain in any script is the same in punycode, and gets one subscription (D11)", async () => {
  const { db, post } = await overResend();
  const answers = [typed, sent, ` ${typed.toUpperCase()} `].map((email) =>
    post("/api/newsletter/subscribe", { email }),
  );
  expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  expect(await look(db, "select email_key from subscribers")).toEqual([{ email_key: sent }]);
});

test("Resend gets recipients, senders and Reply-To in punycode", async () => {
  const { post, provider, worker } = await overResend();
  expect((await post("/api/newsletter/subscribe", { email: typed })).status).toBe(201);
  expect((await post("/api/contact", { ...contact, email: typed })).status).toBe(201);
  await worker.drain();
  const mails = provider.delivered();
  expect(mails.map(({ to }) => to).sort()).toEqual([["owner@example.com"], [sent]]);
  expect(new Set(mails.map(({ from }) => from))).toEqual(new Set(["Почта <news@xn--80a1acny.xn--p1ai>"]));
  expect(mails.find(({ to }) => to[0] === "owner@example.com")).toMatchObject({ reply_to: `"Анна" <${sent}>` });
});

test("SMTP gets them in punycode in envelope and headers, which are ASCII", async () => {
  const { post, sink, commands, worker } = await overSmtp();
  await post("/api/newsletter/subscribe", { email: typed });
  await post("/api/contact", { ...contact, email: typed });
  await worker.drain();
  const envelopes = commands.flatMap((said) => /(?:MAIL FROM|RCPT TO):<(.+?)>/.exec(said)?.[1] ?? []);
  expect([...new Set(envelopes)].sort()).toEqual(["news@xn--80a1acny.xn--p1ai", "owner@example.com", sent]);
  for (const { raw } of sink.messages) {
    const head = raw.slice(0, raw.indexOf("\r\n\r\n"));
    expect(head).toMatch(/^[\t\r\n -~]*$/);
    expect(head).toMatch(/^Message-ID: <m\.[\w-]+@xn--80a1acny\.xn--p1ai>\r?$/m);
    expect(head).toMatch(/^From: .*<news@xn--80a1acny\.xn--p1ai>\r?$/m);
  }
  expect(sink.messages.some(({ raw }) => raw.includes(`Reply-To: =?UTF-8?`) && raw.includes(`<${sent}>`))).toBe(true);
});

test("a local part of any sign reaches both providers unchanged, and its links unsubscribe that address alone", async () => {
  const email = `${everySign}@example.com`;
  const [resend, smtp] = [await overResend(), await overSmtp()];
  for (const { post, worker, db, get } of [resend, smtp]) {
    await post("/api/newsletter/subscribe", { email: "b.c@example.com" });
    expect((await post("/api/newsletter/subscribe", { email })).status).toBe(201);
    expect((await post("/api/contact", { ...contact, name: "Ada", email })).status).toBe(201);
    await worker.drain();
    const link = linkIn(resend.provider.delivered().find(({ to }) => to[0] === email)?.headers["List-Unsubscribe"]);
    expect(link.searchParams.get("email")).toBe(email);
    expect((await get(link.pathname + link.search)).status).toBe(200);
    expect(await look(db, "select email, state from subscribers order by email desc")).toEqual([
      { email: "b.c@example.com", state: "active" },
      { email, state: "unsubscribed" },
    ]);
  }
  expect(smtp.sink.messages.map(({ to }) => to)).toContain(email);
  const notice = smtp.sink.messages.find(({ to }) => to === "owner@example.com")?.raw ?? "";
  expect(notice.replace(/\r\n[ \t]/g, " ")).toContain(`<${email}>`);
  const heading = resend.provider.delivered().find(({ to }) => to[0] === "owner@example.com");
  expect(heading).toMatchObject({ reply_to: `"Ada" <${email}>` });
});

const linkIn = (header = "") => new URL(/<(.+)>/.exec(header)?.[1] ?? "");

test("an address that would become another in a mail program is no address", async () => {
  const { post, db } = await overResend();
  for (const email of [
    ...["=?utf-8?q?=62=63=63=40x.example=3e=00?=@example.com", "=?x?q?a?=@example.com", "a\r\nBcc: b@x.example"],
    ...["a,b@x.example", "a;b@x.example", "<a@x.example>", '"a b"@x.example', "a(b)@x.example", "a@[127.0.0.1]"],
    ...[
      "a@b@x.example",
      "a..b@x.example",
      ".a@x.example",
      "a.@x.example",
      "a@x",
      "a@1.2.3.4",
      "a@0x7f.1",
      "ж@x.example",
    ],
    ...["a\\b@x.example", "a:b@x.example", "a@x.example\u0000", "a\u0000@x.example", "a@почта.рф\r\nBcc: b@x.example"],
    ...["a@поч\u200bта.рф", "a@x.xn--", "a@-x.рф\u202e", `${"a".repeat(65)}@x.example`, `a@${"ж".repeat(64)}.рф`],
  ]) {
    expect([email, (await post("/api/newsletter/subscribe", { email })).status]).toEqual([email, 400]);
    expect([email, (await post("/api/contact", { ...contact, email })).status]).toEqual([email, 400]);
  }
  expect(await look(db, "select id from outbox")).toEqual([]);
});
