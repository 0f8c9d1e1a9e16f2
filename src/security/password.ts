import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fold } from "../../db/lib/fold";
import { normalized } from "../../db/lib/text";

/** OWASP's minimum: argon2id with 19 MiB and two passes, about 30 ms (D35). */
const options = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The hash of an unknown random password: checking against it takes as long as checking a real one. */
const dummyHash =
  "$argon2id$v=19$m=19456,t=2,p=1$oz6ak7ReQJcC5BVfx3kvTDtYYG1uoYDISx+OzLLL1ck$aYz1dsqowiKivmVkHfkbDWBJiZF07SdkJgNeikJwiEw";

const maxConcurrentHashes = 2; // each takes 19 MiB and a core
const maxWaiting = 20;

let working = 0;
const waiting: (() => void)[] = [];

/** Queues `work`. Returns undefined immediately if the queue is full. */
async function inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
  if (working >= maxConcurrentHashes) {
    if (waiting.length >= maxWaiting) return;
    await new Promise<void>((turn) => waiting.push(turn));
  } else working++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else working--;
  }
}

const plain = (password: string) => normalized(password.toWellFormed(), "NFC");

/** Returns undefined if the service is too busy. */
export const hashPassword = (password: string): Promise<string | undefined> =>
  inTurn(() => Bun.password.hash(plain(password), options));

/** Whether it is the password of `hash`. Without a hash the answer is no, and takes as long. Undefined if too busy. */
export const isPassword = (password: string, hash: string | undefined): Promise<boolean | undefined> =>
  inTurn(async () => {
    const isRight = await Bun.password.verify(plain(password) || " ", hash ?? dummyHash);
    return isRight && hash !== undefined;
  });

const common = new Set(
  readFileSync(join(import.meta.dir, "common-passwords.txt"), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#")),
);

/**
 * Returns what is wrong with a new password, as a sentence; undefined if nothing is (D35). There are no rules about
 * kinds of characters, because they make passwords worse (NIST SP 800-63B).
 *
 * @param personal words that an attacker would try first: the email address, the name, the site's name
 */
export function weakness(password: string, personal: string[]): string | undefined {
  const length = [...password].length;
  if (length < 12) return "Use at least 12 characters.";
  if (length > 128) return "Use at most 128 characters.";
  const folded = fold(password);
  if (common.has(folded) || common.has(bare(folded)) || isMonotonous(folded))
    return "This password is too common. Choose another.";
  const words = personal.flatMap((word) => [fold(word), ...fold(word).split(/[^\p{L}\p{N}]+/u)]);
  const rest = words
    .filter((word) => word.length >= 4)
    .sort((a, b) => b.length - a.length)
    .reduce((left, word) => left.replaceAll(word, ""), folded);
  if (rest !== folded && [...rest].length < 8)
    return "This password is too similar to your email address, your name or the site’s name. Choose another.";
}

/** Removes the digits and signs that people put around a word: "Welcome2026!!" is "welcome", repeated or not. */
const bare = (text: string) => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "").replace(/^(.{3,})\1+$/u, "$1");

/** One or two characters repeated, a short piece repeated, or letters or digits in order. */
const isMonotonous = (text: string) =>
  new Set(text).size <= 3 || /^(.{1,6})\1+$/.test(text) || isRun(text, 1) || isRun(text, -1);

const isRun = (text: string, by: number) =>
  [...text].every((letter, i, all) => {
    const before = all[i - 1];
    if (before === undefined) return true;
    const step = (letter.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0);
    return step === by || step === -9 * by; // after 9 comes 0
  });
