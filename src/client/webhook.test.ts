import { expect, test } from "bun:test";
import { newSecret, sign } from "../platform/webhook-signature";
import { verifyWebhook, WebhookError } from "./client";

const [secret, former] = [newSecret(), newSecret()];
const now = new Date("2026-11-23T12:00:00Z");
const seconds = now.getTime() / 1_000;
const body = JSON.stringify({ type: "ping", timestamp: now.toISOString(), data: { id: "Grüße 日本" } });

/** A call as the service makes it. */
const callWith = (
  secrets: string[],
  { at = seconds, text = body, signature = sign(secrets, "msg_1", at, text) } = {},
) => ({
  headers: { "webhook-id": "msg_1", "webhook-timestamp": String(at), "webhook-signature": signature },
  body: text,
});
type Call = Parameters<typeof verifyWebhook>[0];

const verify = (call: Call, secrets: string | string[] = secret, at = now) => verifyWebhook(call, secrets, { now: at });
const reasonOf = (verified: Promise<unknown>) =>
  verified.then(
    () => "verified",
    (error: unknown) => (error instanceof WebhookError ? error.reason : Promise.reject(error)),
  );

test("a call of the service is its event, whether it comes as a request, as text or as bytes", async () => {
  const call = callWith([secret]);
  const event = { ...JSON.parse(body), id: "msg_1" };
  expect(await verify(call)).toEqual(event);
  expect(await verify({ ...call, body: new TextEncoder().encode(body) })).toEqual(event);
  expect(await verify({ ...call, headers: new Headers(call.headers) })).toEqual(event);
  expect(await verify(new Request("http://localhost/", { method: "POST", ...call }))).toEqual(event);
  const asNodeHasThem = {
    "Webhook-Id": "msg_1",
    "webhook-timestamp": String(seconds),
    cookie: ["a", "b"],
    none: undefined,
  };
  const signature = { "WEBHOOK-SIGNATURE": call.headers["webhook-signature"] };
  expect(await verify({ ...call, headers: { ...asNodeHasThem, ...signature } })).toEqual(event);
});

test("the types narrow by the event’s type", async () => {
  const event = await verify(callWith([secret]));
  expect(event.type === "ping" && event.data.id).toBe("Grüße 日本");
});

test("during a rotation, either secret will do, on either side", async () => {
  expect(await reasonOf(verify(callWith([secret, former]), former))).toBe("verified");
  expect(await reasonOf(verify(callWith([former]), [secret, former]))).toBe("verified");
  expect(await reasonOf(verify(callWith([former])))).toBe("signature");
});

test("what is more than five minutes old, or from the future, is not accepted", async () => {
  for (const [offset, reason] of [
    [-301, "old"],
    [-300, "verified"],
    [300, "verified"],
    [301, "old"],
  ] as const)
    expect([offset, await reasonOf(verify(callWith([secret], { at: seconds + offset })))]).toEqual([offset, reason]);
  const old = callWith([secret], { at: seconds - 301 });
  expect((await verifyWebhook(old, secret, { now, toleranceSeconds: 301 })).type).toBe("ping");
});

test("what was changed, or signed by others, is not accepted", async () => {
  const good = callWith([secret]);
  const headers = good.headers;
  expect(await reasonOf(verify({ headers, body: `${body} ` }))).toBe("signature");
  expect(await reasonOf(verify({ headers: { ...headers, "webhook-id": "msg_2" }, body }))).toBe("signature");
  expect(await reasonOf(verify({ headers: { ...headers, "webhook-timestamp": String(seconds + 1) }, body }))).toBe(
    "signature",
  );
  const [, value = ""] = headers["webhook-signature"].split(",");
  const others = ["v1,", "v1,AAAA", `v1,${value}AAAA`, `v1,${value.slice(4)}`, "v1,not base64!", `v2,${value}`, "x"];
  for (const signature of others)
    expect([signature, await reasonOf(verify(callWith([], { signature })))]).toEqual([signature, "signature"]);
  const tenBefore = `${"v1,AAAA ".repeat(10)}v1,${value}`;
  expect(await reasonOf(verify(callWith([], { signature: tenBefore })))).toBe("signature");
  expect(await reasonOf(verify(callWith([], { signature: tenBefore.slice(8) })))).toBe("verified");
});

test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("without %s, it is no call", async (name) => {
  const { headers } = callWith([secret]);
  expect(await reasonOf(verify({ headers: { ...headers, [name]: undefined }, body }))).toBe("missing");
});

test.each(["1e9", "now", `${seconds}.0`, "9".repeat(1_000)])("%s is no time", async (timestamp) => {
  const { headers } = callWith([secret]);
  expect(await reasonOf(verify({ headers: { ...headers, "webhook-timestamp": timestamp }, body }))).toBe("missing");
});

test.each(["no JSON", "[]", "null", "{}"])("%s is no event, even if it is signed", async (text) => {
  expect(await reasonOf(verify(callWith([secret], { text })))).toBe("body");
});

test("of a body, only the first MiB is read", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const { headers } = callWith([secret]);
  expect(await reasonOf(verify(new Request("http://localhost/", { method: "POST", headers, body: endless })))).toBe(
    "signature",
  );
  expect(sent).toBeLessThan(4 * 2 ** 20);
});

test("what is no secret is a mistake of the program", async () => {
  for (const wrong of ["", "secret", "whsec_!"])
    expect(verify(callWith([secret]), wrong)).rejects.toBeInstanceOf(TypeError);
});
