import { expect, test } from "bun:test";
import { hashPassword, isPassword, weakness } from "./password";

test("hashes are argon2id with 19 MiB and two passes", async () => {
  const hash = (await hashPassword("violet otter sings")) ?? "";
  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await isPassword("violet otter sings", hash)).toBe(true);
  expect(await isPassword("violet otter singz", hash)).toBe(false);
  expect(await isPassword("", hash)).toBe(false);
});

test("one character in two spellings is one password", async () => {
  expect(await isPassword("cafe\u0301 with violets", await hashPassword("caf\u00e9 with violets"))).toBe(true);
});

test("a password for an unknown account is never right, and takes as much work to check", async () => {
  const hash = await hashPassword("violet otter sings");
  const work = async (of: string | undefined) => {
    const start = process.cpuUsage();
    await isPassword("wrong", of);
    const { user, system } = process.cpuUsage(start);
    return user + system; // microseconds of this process
  };
  expect(await isPassword("violet otter sings", undefined)).toBe(false);
  let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // In turns, and the minimum of each, because whatever else this process does only adds to it
  for (let i = 0; i < 7 || (i < 50 && !isAlike(unknown / known)); i++) {
    known = Math.min(known, await work(hash));
    unknown = Math.min(unknown, await work(undefined));
  }
  expect(unknown / known).toBeWithin(0.5, 2);
});

const isAlike = (ratio: number) => ratio > 0.5 && ratio < 2;

test("two hashes run concurrently, twenty wait, and the rest are rejected immediately", async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => isPassword("wrong", undefined)));
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(18);
  expect(await isPassword("wrong", undefined)).toBe(false); // after that there is room in the queue again
});

const known = ["ada.lovelace@example.com", "Ada Lovelace", "difference-engine.example"];

test.each([
  ["short", "elevenchars", "at least 12 characters."],
  ["long", "x".repeat(60) + "yz".repeat(35), "at most 128 characters."],
  ["common", "qwertyuiop123", "This password is too common."],
  ["common, in capitals with marks", "PASSWORD2026!!", "This password is too common."],
  ["a common word twice", "dragondragon", "This password is too common."],
  ["one letter", "aaaaaaaaaaaaaaaa", "This password is too common."],
  ["three letters in any order", "abacabbcaacbb", "This password is too common."],
  ["counting", "1234567890123", "This password is too common."],
  ["the alphabet", "abcdefghijklmnop", "This password is too common."],
  ["a piece repeated", "k7!k7!k7!k7!", "This password is too common."],
  ["the address", "ada.lovelace@example.com", "too similar"],
  ["the name and a year", "AdaLovelace1815", "too similar"],
  ["the site", "DifferenceEngine1", "too similar"],
])("refused: %s", (_, password, reason) => {
  expect(weakness(password, known)).toContain(reason);
});

test.each([
  "violet otter sings",
  "4TnJ#q9z!LmP",
  "7391-5527-4406", // no letter
  "лиловая выдра поёт",
  "🦦🦦🦦🦦 is not an otter",
  "x".repeat(8) + "correct battery staple",
  "lovelace wrote the first program",
])("accepted: %s", (password) => {
  expect(weakness(password, known)).toBeUndefined();
});
