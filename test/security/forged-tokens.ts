/**
 * `bun test/security/forged-tokens.ts [count]` (figure S8): forged tokens of unsubscribe links, none of which may be
 * accepted; and how long the page takes to reject one for a known and for an unknown address.
 */
import { randomBytes } from "node:crypto";
import { isUnsubscribeToken, unsubscribeLink } from "../../src/security/links";
import { testService } from "../support/service";

const secrets = {
  BASE_URL: "",
  APP_SECRET: "test-secret-of-at-least-32-characters",
  APP_SECRET_PREVIOUS: ["b".repeat(40)],
};
const email = "ada@example.com";
const tokenFor = (secret: string, address = email) =>
  new URL(unsubscribeLink({ ...secrets, BASE_URL: "http://localhost", APP_SECRET: secret }, address)).searchParams.get(
    "token",
  ) ?? "";

const right = tokenFor(secrets.APP_SECRET);
const bytes = Buffer.from(right, "base64url");

/**
 * What someone without the secret might send: random, nearly right, right for another address or secret, or spelled
 * differently.
 */
const forgers: ((i: number) => string)[] = [
  () => randomBytes(32).toString("base64url"),
  (i) => Buffer.from(bytes.map((byte, at) => (at === i % 32 ? byte ^ (1 + (i % 255)) : byte))).toString("base64url"),
  (i) => tokenFor(secrets.APP_SECRET, `ada${i}@example.com`),
  (i) => tokenFor(`${secrets.APP_SECRET}${i}`),
  (i) => right.slice(0, i % right.length),
  (i) => right + ["=", "A", ".", "\0", " ", "%00", right][i % 7],
  (i) => randomBytes(i % 64).toString("hex"),
  () => bytes.toString("hex"),
  () => bytes.toString("base64"), // as long as it is not the same text
];

/** How many of `count` forged tokens were accepted. */
export function acceptedOf(count: number): number {
  let accepted = 0;
  for (let i = 0; i < count; i++) {
    const forged = forgers[i % forgers.length]?.(i) ?? "";
    if (forged !== right && isUnsubscribeToken(secrets, email, forged)) accepted++;
  }
  return accepted;
}

/** The forged token of `i`, for requests. */
export const forgedToken = (i: number): string => forgers[i % forgers.length]?.(i) ?? "";

/** Median milliseconds to refuse a forged link of a subscriber, and of a stranger; asked in turns. */
async function timings(rounds: number) {
  const { get, post } = await testService({ LOG_LEVEL: "silent" });
  await post("/api/newsletter/subscribe", { email });
  const took = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < rounds; i++)
    for (const [who, address] of i % 2
      ? [["known", email] as const, ["unknown", "bob@example.com"] as const]
      : [["unknown", "bob@example.com"] as const, ["known", email] as const]) {
      const path = `/api/newsletter/unsubscribe?email=${encodeURIComponent(address)}&token=${randomBytes(32).toString("base64url")}`;
      const start = performance.now();
      await (await get(path)).text();
      took[who].push(performance.now() - start);
    }
  return { known: median(took.known), unknown: median(took.unknown) };
}

const median = (all: number[]) => all.sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

if (import.meta.main) {
  const count = Number(Bun.argv[2] ?? 1_000_000);
  const accepted = acceptedOf(count);
  const { known, unknown } = await timings(10_000);
  const apart = Math.abs(known / unknown - 1);
  console.log({ count, accepted, knownMs: known, unknownMs: unknown, apartPercent: Math.round(apart * 1_000) / 10 });
  const isGood = accepted === 0 && apart <= 0.05;
  console.log(isGood ? "ok" : "NOT OK");
  process.exitCode = isGood ? 0 : 1;
}
