import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const email = "ada@example.com";

/** A service, and what it stores of the names that visitors give. */
async function withVisitors() {
  const { db, post, ...service } = await testService();
  async function asSender(name: string) {
    const { status } = await post("/api/contact", { name, email, message: `Hello, I am ${JSON.stringify(name)}.` });
    const [row] = await look<{ name: string }>(db, "select name from messages order by id desc limit 1");
    return [status, row?.name];
  }
  let people = 0;
  async function asSubscriber(name: string) {
    const address = `person${++people}@example.com`;
    const { status } = await post("/api/newsletter/subscribe", { email: address, name });
    const [row] = await look<{ name: string }>(db, "select name from subscribers where email = ?", [address]);
    return [status, row?.name];
  }
  return { ...service, db, asSender, asSubscriber };
}

test("what turns the direction of a name or hides in it is left out", async () => {
  const { asSender, asSubscriber } = await withVisitors();
  for (const [typed, name] of [
    ["\u202eadA\u202c", "adA"],
    ["Ada \u2067(owner)\u2069\u2060 Lovelace \ufeff\u202d", "Ada (owner) Lovelace"],
    ["e\u2060\u0301va", "\u00e9va"],
  ] as const) {
    expect(await asSender(typed)).toEqual([201, name]);
    expect(await asSubscriber(typed)).toEqual([201, name]);
  }
});

test("what scripts and emoji need stays", async () => {
  const { asSubscriber } = await withVisitors();
  for (const name of ["עדה\u200f", "نی\u200cما", "👩\u200d💻 Ada", "Ada\u00adline", "ស\u200bក"])
    expect(await asSubscriber(name)).toEqual([201, name]);
});

test("a name of which nothing would be left is neither rejected nor empty", async () => {
  const { asSender, asSubscriber } = await withVisitors();
  expect(await asSender("\u202e\u202c")).toEqual([201, "\ufffd\ufffd"]);
  expect(await asSender("A\u202e")).toEqual([201, "A\ufffd"]);
  expect(await asSubscriber("\u200b")).toEqual([201, "\ufffd"]);
});

test("what is in a sentence of the audit log since before turns nothing but itself", async () => {
  const { db, now, signIn } = await withVisitors();
  const manager = await signIn();
  const details = { into: "\u202eotni" };
  await audit.recordAlone(db, { actor: "cli", action: "tag.merge", target: "\u202egat", details }, now());
  const page = await (await manager.get("/dashboard/audit")).text();
  expect(page).toContain("<bdi>\u202eotni</bdi>");
  expect(page).toMatch(/<strong class="wrap">\u202egat<\/strong>/);
  expect(await Bun.file("public/app/base/utilities.css").text()).toMatch(/\.wrap \{[^}]*unicode-bidi: isolate;/);
});
