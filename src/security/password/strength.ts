import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fold } from "../../../db/lib/fold";

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
