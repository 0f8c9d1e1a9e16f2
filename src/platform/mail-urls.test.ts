import { expect, test } from "bun:test";
import { ConfigError, loadConfig } from "./config";
import { readSmtpUrl } from "./mail-urls";

const secret = { APP_SECRET: "a".repeat(32) };

test("an SMTP URL says where, with which login, and over how many connections", () => {
  expect(readSmtpUrl("smtp://ada:p%40ss%2Fw%25rd@mail.example:2525?pool=20")).toEqual({
    host: "mail.example",
    port: 2525,
    tls: "required",
    login: { user: "ada", password: "p@ss/w%rd" },
    pool: 20,
  });
  expect(readSmtpUrl("smtps://ada%40x.example:pw@mail.example")).toMatchObject({ port: 465, tls: "implicit", pool: 5 });
  expect(readSmtpUrl("smtp://mail.example")).toMatchObject({ port: 587 });
});

test("credentials are sent to another machine only over TLS, unless it is in a private network", () => {
  const tls = (url: string) => (readSmtpUrl(url) as { tls: string }).tls;
  for (const host of ["mail.example", "8.8.8.8", "[2001:db8::1]", "172.32.0.1", "localhost.example"])
    expect([host, tls(`smtp://a:b@${host}`), tls(`smtp://${host}`)]).toEqual([host, "required", "offered"]);
  for (const host of [
    "10.0.0.2",
    "172.16.0.1",
    "192.168.1.1",
    "[fd00::1]",
    "relay",
    "relay.internal",
    "mail.home.arpa",
  ])
    expect([host, tls(`smtp://a:b@${host}`)]).toEqual([host, "offered"]);
  for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]"])
    expect([host, tls(`smtp://a:b@${host}`), tls(`smtps://a:b@${host}`)]).toEqual([host, "none", "implicit"]);
});

test.each([
  "smtp://",
  "smtp:mail.example",
  "smtp://ada:hunter2@",
  "smtp://ada@mail.example",
  "smtp://:hunter2@mail.example",
  "smtp://ada:hunter2%@mail.example",
  "smtp://ada:hunter2@mail.example/inbox",
  "smtp://ada:hunter2@mail.example#x",
  "smtp://ada:hunter2@mail.example:99999",
  "smtp://ada:hunter2/x@mail.example",
  "smtp://ada:hunter2@ma il.example",
  "smtp://ada:hunter2@mail.example?pool=0",
  "smtp://ada:hunter2@mail.example?pool=21",
  "smtp://ada:hunter2@mail.example?pool=2&pool=3",
  "smtp://ada:hunter2@mail.example?tls=no",
  "smtp://ada:hunter2@mail.example;rm",
  "http://ada:hunter2@mail.example",
  "stmp://ada:hunter2@mail.example",
])("%s stops the start with a sentence that does not repeat it", (MAILER_API_KEY) => {
  let error: unknown;
  try {
    loadConfig({ ...secret, MAILER_API_KEY });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ConfigError);
  const { message } = error as ConfigError;
  expect(message).toMatch(/^The configuration is not valid: MAILER_API_KEY must [^\n]+$/);
  expect(message).not.toMatch(/hunter2|ada|mail\.example/);
});

test("anything else must be a key of Resend", () => {
  expect(loadConfig({ ...secret, MAILER_API_KEY: "re_123" }).MAILER_API_KEY).toBe("re_123");
  expect(loadConfig({ ...secret, MAILER_API_KEY: "" }).MAILER_API_KEY).toBeUndefined();
});
