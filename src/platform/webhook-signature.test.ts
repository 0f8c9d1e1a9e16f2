import { expect, test } from "bun:test";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { isSecret, isSignedBy, newSecret, sign } from "./webhook-signature";

const [secret, former] = [newSecret(), newSecret()];
const now = new Date();
const seconds = Math.floor(now.getTime() / 1000);
const body = JSON.stringify({ type: "ping", data: { text: "Grüße 日本" } });
const headersOf = (signature: string) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(seconds),
  "webhook-signature": signature,
});

test("what we sign is verified by the reference implementation, with the new and the former secret", () => {
  const headers = headersOf(sign([secret, former], "msg_1", seconds, body));
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(new Webhook(former).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
});

test("what the reference implementation signs is verified by us", () => {
  const signature = new Webhook(secret).sign("msg_1", now, body);
  const signed = { id: "msg_1", timestamp: String(seconds), signature };
  expect(isSignedBy([secret], signed, body, now)).toBe(true);
  expect(isSignedBy([former, secret], signed, body, now)).toBe(true);
  expect(isSignedBy([former], signed, body, now)).toBe(false);
});

test("forged, stale and changed messages are not verified", () => {
  const signed = { id: "msg_1", timestamp: String(seconds), signature: sign([secret], "msg_1", seconds, body) };
  const isVerified = (changes: Partial<typeof signed>, text = body, at = now) =>
    isSignedBy([secret], { ...signed, ...changes }, text, at);
  expect(isVerified({})).toBe(true);
  for (const at of [-301, 301]) expect(isVerified({}, body, new Date(now.getTime() + at * 1000))).toBe(false);
  const otherTimes = [String(seconds + 1), "", "now", "1e9", `${seconds}.0`, ` ${seconds}`, "9".repeat(1_000)];
  for (const timestamp of otherTimes) expect(isVerified({ timestamp })).toBe(false);
  expect(isVerified({ id: "msg_2" })).toBe(false);
  expect(isVerified({}, `${body} `)).toBe(false);
  const [version = "", value = ""] = signed.signature.split(",");
  const others = [
    "",
    value,
    `v2,${value}`,
    `v1a,${value}`,
    `${version},`,
    `v1,${value.slice(1)}`,
    `v1,${value}A`,
    "v1,é".repeat(50),
  ];
  for (const signature of others) expect(isVerified({ signature })).toBe(false);
  expect(isVerified({ signature: `v1,nonsense ${signed.signature}` })).toBe(true); // a rotation
});

test("a secret without the padding of Base64 signs the same", () => {
  const short = secret.replace(/=+$/, "");
  expect([isSecret(short), sign([short], "msg_1", seconds, body)]).toEqual([
    true,
    sign([secret], "msg_1", seconds, body),
  ]);
});

test("a secret has 24 to 64 bytes in base64", () => {
  expect(isSecret(newSecret())).toBe(true);
  for (const other of [
    "",
    "whsec_",
    "whsec_short",
    secret.slice(6),
    `${secret} `,
    `whsec_${"A".repeat(90)}`,
    "whsec_é".repeat(8),
  ])
    expect(isSecret(other)).toBe(false);
});

test("the call in the documentation is signed with the secret beside it, and not if anything of it changes", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/webhooks.md")).text();
  const [, headers = "", body = ""] = /^POST .*\n([^]*?)\n\n(\{.*\})$/m.exec(page) ?? [];
  const [example = ""] = /whsec_[A-Za-z0-9+/]+=*(?=`, so)/.exec(page) ?? [];
  const of = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(headers)?.[1] ?? "";
  const call = { id: of("webhook-id"), timestamp: of("webhook-timestamp"), signature: of("webhook-signature") };
  const at = new Date("2026-11-22T15:31:08Z");
  expect([isSecret(example), JSON.parse(body).type]).toEqual([true, "post.published"]);
  expect(isSignedBy([example], call, body, at)).toBe(true);
  for (const [secrets, changed] of [
    [[secret], call],
    [[example], { ...call, id: "other" }],
    [[example], { ...call, timestamp: String(Number(call.timestamp) + 1) }],
  ] as const)
    expect(isSignedBy([...secrets], changed, body, at)).toBe(false);
  expect(isSignedBy([example], call, `${body}\n`, at)).toBe(false);
});
