import { expect, test } from "bun:test";
import { compose } from "../../../src/emails/compose";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import * as settings from "../../../test/support/settings";
import * as apiKeys from "./api-keys";
import { manyNetworks } from "./callers";

const owner = "owner@example.com";

async function service() {
  const own = await testService({ OWNER_EMAIL: owner });
  const { counters, db, get, now, post } = own;
  const { key, row } = await apiKeys.generate(db, { prefix: "site", name: "Blog", scopes: ["visitors"] }, now());
  await settings.set(db, "messagesPerHourBeforeQuarantine", "1", { by: "test" }, now());
  let people = 0;
  const nextVisitor = () => ({
    "x-api-key": key,
    "postroom-visitor-address": `8.${(people >> 8) + 1}.${people++ & 255}.9`,
  });
  const read = async (count: number) => {
    for (let n = 0; n < count; n++) await get("/api/posts/none", nextVisitor());
  };
  const write = async (headers = nextVisitor()) => {
    const body = { name: "Ada", email: `ada${people}@example.com`, message: `Hello, it is me: ${people}.` };
    expect((await post("/api/contact", body, headers)).status).toBe(201);
  };
  /** Who was told so far. */
  const told = async () => {
    await counters.flush();
    const rows = await look<{ recipient: string; payload: string }>(db, "select recipient, payload from outbox");
    return rows.filter(({ payload }) => payload.includes("api-key-visitors")).map(({ recipient }) => recipient);
  };
  return { ...own, key: row, read, write, told };
}

test("a key that names visitors from more than 500 networks, half of whose messages are in quarantine, is told once a day", async () => {
  const { clock, key, read, told, write } = await service();
  await write();
  await read(manyNetworks - 1);
  await write(); // in quarantine, from network 501
  expect(await told()).toEqual([owner]);
  await read(1);
  expect(await told()).toEqual([owner]);
  clock.time += 86_400_000;
  await read(manyNetworks + 1);
  expect(await told()).toEqual([owner]); // no messages within an hour
  await write();
  await write();
  expect(await told()).toEqual([owner, owner]);
  expect(key.active).toBe(true);
});

test("no one is told of fewer networks, of one that comes again, or of a site whose messages are good", async () => {
  const few = await service();
  await few.write();
  await few.write();
  await few.read(manyNetworks - 2);
  expect(await few.told()).toEqual([]);
  few.clock.time += 3_600_000; // another hour
  await few.write();
  await few.write();
  await few.read(manyNetworks - 2);
  expect(await few.told()).toEqual([]);
  const good = await service();
  await settings.set(good.db, "messagesPerHourBeforeQuarantine", "0", { by: "test" }, good.now());
  await good.write();
  await good.write();
  await good.read(manyNetworks);
  expect(await good.told()).toEqual([]);
});

test("the email leads to the messages that came by the key", async () => {
  const { config, db, key, read, told, write } = await service();
  await write();
  await write();
  await read(manyNetworks);
  await told();
  const [mail] = await look<{ payload: string }>(db, "select * from outbox where kind = 'notice'");
  const payload = JSON.parse(mail?.payload ?? "");
  const notice = { ...mail, kind: "notice", subjectId: key.id, payload };
  const email = await compose({ config, db }, notice as never);
  expect(email?.subject).toBe("API key “Blog” may be inventing visitors");
  expect(email?.text).toContain(`/dashboard/contact?box=quarantine&key=${key.id}`);
});
