import { Database } from "bun:sqlite";
import { afterEach, expect } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { erasePerson } from "../../db/people/erasures";
import { look, onSqlite } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { checkLater, repeatChecks } from "./erasure-check";

type Scope = Parameters<typeof erasePerson>[2]["scope"];

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function service() {
  const folder = temporaryFolder();
  const file = join(folder.path, "postroom.sqlite");
  const made = await testService({ DATA_DIR: folder.path }, file);
  afterwards.push(
    () => folder[Symbol.dispose](),
    () => made.db.close(),
  );
  const erase = async (email: string, scope: Scope = ["subscription", "messages"]) => {
    await made.post("/api/newsletter/subscribe", { email });
    const by = { actor: "cli", via: "cli" } as const;
    return erasePerson(made.db, join(folder.path, "erasures.log"), { email, scope }, by, made.now());
  };
  const manager = await made.signIn();
  const proof = async (id: string) => (await manager.get(`/dashboard/people/erasures/${id}`)).text();
  const unchecked = async () =>
    (await look<{ n: number }>(made.db, "select count(*) n from erasures where checked_at is null"))[0]?.n;
  return { ...made, file, erase, proof, unchecked };
}
const onFiles = onSqlite("the file of the database");

onFiles("checks of erasures that are close together wait for each other, and all of them end", async () => {
  const { db, erase, log, now, unchecked } = await service();
  const emails = Array.from({ length: 6 }, (_, i) => `person${i}@example.com`);
  const erasures = [];
  for (const email of emails) erasures.push({ email, erasure: await erase(email) });
  await Promise.all(erasures.map(({ email, erasure }) => checkLater({ db, log, now }, erasure, email)));
  expect(await unchecked()).toBe(0);
  expect(await look(db, "select distinct remnants from erasures")).toEqual([{ remnants: 0 }]);
});

onFiles("what keeps some of the person is not searched for the address, and does not say that it is gone", async () => {
  const { db, erase, log, now, proof, unchecked } = await service();
  const erasure = await erase("ada@example.com", ["messages"]);
  await checkLater({ db, log, now }, erasure, "ada@example.com");
  expect(await unchecked()).toBe(0);
  expect(await look(db, "select remnants from erasures")).toEqual([{ remnants: null }]);
  expect(await proof(erasure.id)).not.toContain("was not found");
});

onFiles("a check that failed is told with its reason, and repeated", async () => {
  const { db, erase, file, log, logged, now, proof, unchecked } = await service();
  const erasure = await erase("ada@example.com");
  expect(await proof(erasure.id)).toContain("Not searched yet. The result appears here automatically.");
  renameSync(file, `${file}.away`);
  await checkLater({ db, log, now }, erasure, "ada@example.com");
  renameSync(`${file}.away`, file);
  expect(await proof(erasure.id)).toContain("The search failed, and is repeated within an hour.");
  expect(logged.find(({ event }) => event === "not checked")).toMatchObject({
    erasure: erasure.id,
    error: expect.stringContaining("unable to open"),
  });
  await repeatChecks({ db, log, now });
  expect(await unchecked()).toBe(0);
  expect(await proof(erasure.id)).toContain("The address was not found in it afterwards.");
});

onFiles("after a restart the address is not known, so the file is rewritten instead", async () => {
  const { db, erase, log, now, proof, unchecked } = await service();
  const { id } = await erase("ada@example.com");
  await repeatChecks({ db, log, now });
  expect(await unchecked()).toBe(0);
  expect(await proof(id)).toContain("The address is no longer known and cannot be searched for.");
});

onFiles("while a check waits for someone who reads the file for long, others can write", async () => {
  const { db, erase, file, log, now, post, unchecked } = await service();
  const erasure = await erase("ada@example.com");
  const [reader, writer] = [new Database(file, { readonly: true }), new Database(file)];
  afterwards.push(
    () => reader.close(),
    () => writer.close(),
  );
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM subscribers").get();
  await post("/api/newsletter/subscribe", { email: "bo@example.com" }); // which the reader does not see
  const check = checkLater({ db, log, now }, erasure, "ada@example.com");
  const canWrite = () => {
    try {
      writer.run("BEGIN IMMEDIATE");
      writer.run("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  };
  while (canWrite()) await Bun.sleep(1); // until the check keeps others out
  expect((await post("/api/newsletter/subscribe", { email: "cy@example.com" })).status).toBe(201);
  expect(await unchecked()).toBe(1);
  reader.run("ROLLBACK");
  await check;
  expect(await unchecked()).toBe(0);
});
