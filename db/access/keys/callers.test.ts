import { expect, test } from "bun:test";
import { compose } from "../../../src/emails/compose";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import * as managers from "../managers";
import * as apiKeys from "./api-keys";

const day = 86_400_000;
const owner = "owner@example.com";
const [home, other, third] = ["203.0.113.7", "198.51.100.9", "192.0.2.1"] as const;

async function service(limits: apiKeys.KeyLimits = { scopes: ["visitors"] }, createdBy = "cli") {
  const own = await testService({ OWNER_EMAIL: owner });
  const { clock, counters, db, get, now } = own;
  const { key, row } = await apiKeys.generate(db, { prefix: "site", name: "Blog <b>", createdBy, ...limits }, now());
  let visitors = 0;
  /** The site reads a post for a visitor, days later. Returns who got an email so far, and about which network. */
  const used = async (peer: string, days = 0) => {
    clock.time += days * day;
    const visitor = { "postroom-visitor-address": `8.8.8.${visitors++}`, "user-agent": "site" };
    await get("/api/posts/none", { "x-api-key": key, ...visitor }, peer);
    await counters.flush();
    const rows = await look<{ recipient: string; payload: string }>(db, "select recipient, payload from outbox");
    return rows.map(({ recipient, payload }) => `${recipient} ${JSON.parse(payload).network}`).sort();
  };
  return { ...own, key: row, used };
}

test("a key that names visitors is reported when it is used from a new network, once a week", async () => {
  const { used } = await service();
  expect(await used(home)).toEqual([]); // the first one
  expect(await used(home, 2)).toEqual([]);
  const first = [`${owner} 198.51.100.0/24`];
  expect(await used(other)).toEqual(first);
  expect(await used(other)).toEqual(first);
  expect(await used("198.51.100.200")).toEqual(first); // the same network
  expect(await used(third, 6)).toEqual(first);
  expect(await used("233.252.0.1", 2)).toEqual([...first, `${owner} 233.252.0.0/24`]);
});

test("on its first day, a key may be used from anywhere", async () => {
  const { used } = await service();
  await used(home);
  expect(await used(other, 0.9)).toEqual([]);
  expect(await used(third, 0.2)).toEqual([`${owner} 192.0.2.0/24`]);
});

test("no one is told of keys that name no visitors, are limited to networks or were refused", async () => {
  for (const limits of [
    {},
    { scopes: ["content:read" as const] },
    { scopes: ["visitors" as const], networks: ["203.0.113.0/24", "198.51.100.0/24"] },
    { scopes: ["visitors" as const], networks: ["203.0.113.0/24"] },
  ]) {
    const { used } = await service(limits);
    await used(home);
    await used(home, 2);
    expect([limits, await used(other)]).toEqual([limits, []]);
  }
});

test("the manager who made the key is told, too, unless they are the owner or gone", async () => {
  for (const [createdBy, told] of [
    ["ada@example.com", ["ada@example.com 198.51.100.0/24", `${owner} 198.51.100.0/24`]],
    [owner, [`${owner} 198.51.100.0/24`]],
    ["gone@example.com", [`${owner} 198.51.100.0/24`]],
  ] as const) {
    const { db, now, used } = await service({ scopes: ["visitors"] }, createdBy);
    for (const email of ["ada@example.com", owner])
      await db.write((orm) => managers.create(orm, { name: "Ada", role: "manager", passwordHash: "-", email }, now()));
    await used(home);
    expect([createdBy, await used(other, 2)]).toEqual([createdBy, [...told]]);
  }
});

test("the email says from where, and leads to the key; not once the key is deactivated", async () => {
  const { clock, config, db, key, now, used } = await service();
  await used(home);
  await used(other, 2);
  const [mail] = await look<{ recipient: string; payload: string }>(db, "select * from outbox");
  const payload = JSON.parse(mail?.payload ?? "");
  const notice = { ...mail, kind: "notice", subjectId: key.id, payload, createdAt: now() };
  const email = await compose({ config, db }, notice as never);
  expect(email?.subject).toBe("API key “Blog <b>” was used from a new network");
  expect(email?.text).toContain("used from 198.51.100.0/24");
  expect(email?.text).toContain(`http://localhost:3000/dashboard/api-keys/${key.id}`);
  expect(email?.html).not.toContain("<b>”");
  clock.time += 1;
  await apiKeys.deactivate(db, key.id, { actor: "cli" }, now());
  expect(await compose({ config, db }, notice as never)).toBeUndefined();
});

test("an email that cannot be stored costs no count, and is queued with the next", async () => {
  const { counters, db, used } = await service();
  await used(home);
  await used(home, 2);
  await look(db, "alter table outbox rename to elsewhere");
  await used(other).catch(() => undefined);
  await look(db, "alter table elsewhere rename to outbox");
  await counters.flush();
  expect(await used(other)).toEqual([`${owner} 198.51.100.0/24`]);
});
