import { expect, test } from "bun:test";
import { meaningOf } from "./resend";

const now = new Date("2026-11-22T18:00:00Z");
const ids = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `re_${i}` }));
const error = (name: string, message = `About ${name}`) => ({ statusCode: 0, name, message });

type Row = [row: string, status: number, body: unknown, headers: Record<string, string>, meaning: object];
const accepted = (count: number) => ({ kind: "accepted", ids: ids(count).map(({ id }) => id) });
const unknown = { kind: "unknown" };
const refused = (reason: string, retryAfterMs?: number) => ({ kind: "refused", reason, retryAfterMs });

/** The table of outcomes for a batch of two, row by row. */
const rows: Row[] = [
  ["as many ids as emails", 200, { data: ids(2) }, {}, accepted(2)],
  ["as many ids as emails, 201", 201, { data: ids(2) }, {}, accepted(2)],
  ["too few ids", 200, { data: ids(1) }, {}, unknown],
  ["too many ids", 200, { data: ids(3) }, {}, unknown],
  ["an id that is none", 200, { data: [{ id: "re_0" }, { id: 1 }] }, {}, unknown],
  ["a single id for two", 200, { id: "re_0" }, {}, unknown],
  ["no JSON", 200, undefined, {}, unknown],
  ["null", 200, null, {}, unknown],
  ["nothing", 204, undefined, {}, unknown],
  ["a redirect", 302, undefined, {}, unknown],
  ["a broken server", 500, error("internal_server_error"), {}, unknown],
  ["a broken proxy", 502, undefined, {}, unknown],
  ["an overloaded server", 503, error("daily_quota_exceeded"), {}, unknown],
  ["a timeout over there", 408, undefined, {}, unknown],
  ["in work under the same key", 409, error("concurrent_idempotent_requests"), {}, unknown],
  ["the key was used for something else", 409, error("invalid_idempotent_request"), {}, { kind: "conflict" }],
  ["too fast", 429, error("rate_limit_exceeded"), { "retry-after": "7" }, refused("rate", 7_000)],
  ["too fast, until nobody says when", 429, error("rate_limit_exceeded"), {}, refused("rate")],
  ["too fast, with a wait that is none", 429, undefined, { "retry-after": "soon" }, refused("rate")],
  ["the day's quota", 429, error("daily_quota_exceeded"), { "retry-after": "1" }, refused("daily-quota", 21_900_000)],
  ["the month's quota", 429, error("monthly_quota_exceeded"), {}, refused("monthly-quota")],
  ["no key", 401, error("missing_api_key"), {}, refused("credentials")],
  ["a wrong key", 403, error("invalid_api_key"), {}, refused("credentials")],
  ["a sender that is none", 422, error("invalid_from_address"), {}, refused("credentials")],
  [
    "an unknown domain",
    400,
    error("validation_error", "The x.example domain is not verified"),
    {},
    refused("credentials"),
  ],
  ["larger than allowed", 413, undefined, {}, refused("too-large")],
  ["an address that is none", 422, error("validation_error"), {}, refused("invalid")],
  ["anything else", 404, error("not_found"), {}, refused("invalid")],
];

test.each(rows)("%s (%d)", (_, status, body, headers, meaning) => {
  expect(meaningOf({ status, headers: new Headers(headers), body }, 2, now)).toMatchObject(meaning);
});

test("a single email has one ID", () => {
  const answer = (body: unknown) => meaningOf({ status: 200, headers: new Headers(), body }, 1, now);
  expect(answer({ id: "re_0" })).toEqual(accepted(1) as never);
  expect(answer({ data: ids(1) })).toEqual(accepted(1) as never);
  expect(answer({ object: "email" }).kind).toBe("unknown");
});
