import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { look } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { list as listBroadcasts } from "../broadcasts/list";
import { list as listTags } from "../posts/tags";
import * as posts from "../posts/posts";
import { mentionsAddress } from "./traces";
import { erasePerson } from "./erasures";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function service() {
  const folder = temporaryFolder();
  const made = await testService({ DATA_DIR: folder.path }, join(folder.path, "postroom.sqlite"));
  afterwards.push(
    () => folder[Symbol.dispose](),
    () => made.db.close(),
  );
  const erase = (email: string, scope: Parameters<typeof erasePerson>[2]["scope"] = ["subscription", "messages"]) =>
    erasePerson(made.db, join(folder.path, "erasures.log"), { email, scope }, { actor: "cli", via: "cli" }, made.now());
  return { ...made, erase };
}

test("a longer address is another one; what surrounds an address in a text is not part of it", () => {
  const ada = "ada@a.example";
  for (const text of ["nevada@a.example", "x.ada@a.example", "x+ada@a.example", "x_ada@a.example", "x-ada@a.example"])
    expect([text, mentionsAddress(text, ada)]).toEqual([text, false]);
  for (const text of ["ada@a.example.org", "ada@a.example-b.org", "ada@a.examples", "ada@a.example1"])
    expect([text, mentionsAddress(text, ada)]).toEqual([text, false]);
  for (const text of [
    "<ADA@A.EXAMPLE>",
    "email=ada@a.example&x",
    "ada@a.example.",
    "(ada@a.example)",
    "/ada@a.example",
  ])
    expect([text, mentionsAddress(text, ada)]).toEqual([text, true]);
  expect(mentionsAddress("550 <eve@рф.example>", "eve@xn--p1ai.example")).toBe(true);
});

test("an address that a mail server repeats in capitals is erased, in every script", async () => {
  const { db, erase, post } = await service();
  for (const [email, reply] of [
    ["user@почта.рф", "550 <USER@ПОЧТА.РФ>: unknown"],
    ["ada@bücher.example", "550 ADA@BÜCHER.EXAMPLE unknown"],
    ["nik@οδοσ.example", "550 NIK@ΟΔΟΣ.EXAMPLE unknown"],
    ["eve@xn--p1ai.example", "550 EVE@XN--P1AI.EXAMPLE unknown"],
  ] as const) {
    await post("/api/newsletter/subscribe", { email });
    await post("/api/newsletter/subscribe", { email: "else@x.example" });
    await look(db, "update outbox set last_error = ? where recipient = 'else@x.example'", [reply]);
    await erase(email);
    expect(await look(db, "select last_error from outbox where last_error is not null")).toEqual([]);
    await look(db, "update outbox set last_error = '550 <OTHER@ПОЧТА.РФ>' where recipient = 'else@x.example'");
    await erase(email);
    expect(await look(db, "select last_error from outbox where last_error is not null")).toHaveLength(1);
  }
});

test("a queued email of an erased person is cancelled, not sent; others keep their state", async () => {
  const { db, erase, post } = await service();
  await post("/api/newsletter/subscribe", { email: "ada@a.example" });
  await post("/api/newsletter/subscribe", { email: "bob@a.example" });
  const state = async () => look(db, "select recipient, state from outbox order by recipient");
  const states = await state();
  expect(states).toEqual([
    { recipient: "ada@a.example", state: "queued" },
    { recipient: "bob@a.example", state: "queued" },
  ]);
  await erase("ada@a.example");
  expect(await state()).toEqual([
    { recipient: "bob@a.example", state: "queued" },
    { recipient: "erased", state: "cancelled" },
  ]);
});

test("lists that are not folded when stored are searched in any case", async () => {
  const { db, now } = await service();
  await posts.save(db, { slug: "a", title: "A", tags: ["Привет, МИР", "Straße"], published: true }, now());
  const tags = async (q: string) => (await listTags(db, q, "name", { page: 1, per: 9 })).rows.map(({ name }) => name);
  expect([await tags("привет, мир"), await tags("ПРИВЕТ, мир"), await tags("STRASSE")]).toEqual([
    ...[["Привет, МИР"], ["Привет, МИР"], ["Straße"]],
  ]);
  const { create } = await import("../broadcasts/edit");
  const fields = { preheader: "", fromName: "", archive: "none" as const, segment: {}, content: "" };
  await create(
    db,
    { source: { kind: "own" }, fields: { ...fields, subject: "ПРИВЕТ из Осло" } },
    { actor: "cli" },
    now(),
  );
  for (const q of ["привет", "Привет ИЗ", "осло"])
    expect(
      (await listBroadcasts(db, { tab: "all", q }, { page: 1, per: 9 })).rows.map(({ subject }) => subject),
    ).toEqual(["ПРИВЕТ из Осло"]);
});
