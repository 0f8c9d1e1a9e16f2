import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { unsubscribeLink } from "../security/links";

const path = "/api/v1/subscribers";
const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z" };
const perBatch = 500;

/** Two at a time: the service works on four large bodies, and lets others wait. */
async function inPairs<T>(batches: string[][], work: (batch: string[]) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < batches.length; at += 2)
    results.push(...(await Promise.all(batches.slice(at, at + 2).map(work))));
  return results;
}

test("a shop's program sends 3,000 customers by key, again and again, while half of them leave and some are erased", async () => {
  using folder = temporaryFolder();
  const { config, db, key, post, send } = await testService({ DATA_DIR: folder.path });
  const headers = await key("Shop", ["newsletter:write"]);
  const emails = Array.from({ length: 3_000 }, (_, n) => `customer${n}@shop.example`);
  const leavers = new Set(emails.filter((_, n) => n % 2 === 0));
  const batches = Array.from({ length: emails.length / perBatch }, (_, n) =>
    emails.slice(n * perBatch, (n + 1) * perBatch),
  );
  const sendBatch = async (batch: string[], day: string) => {
    const subscribers = batch.map((email) => ({ email, tags: [day], consent }));
    const answer = await post(`${path}/batch`, { subscribers }, { ...headers, "idempotency-key": `${day}${batch[0]}` });
    return ((await answer.json()) as { data: { results: { result: string; id?: string }[] } }).data.results;
  };
  const leave = async (email: string) => {
    const { pathname, search } = new URL(unsubscribeLink(config, email));
    expect((await send(pathname + search, { method: "POST" })).status).toBe(200);
  };

  const leaveInTurn = async (people: string[]) => {
    for (const email of people) await leave(email);
  };
  const isLeaver = (email: string) => leavers.has(email);

  const ids = new Map<string, string>();
  await inPairs(batches, async (batch) => {
    const results = await sendBatch(batch, "monday");
    expect(results.every(({ result }) => result === "created")).toBe(true);
    for (const [at, { id = "" }] of results.entries()) ids.set(batch[at] ?? "", id);
    // The answer was lost on its way, so the program sends it again while people leave
    const [again] = await Promise.all([sendBatch(batch, "monday"), leaveInTurn(batch.filter(isLeaver))]);
    expect(again).toEqual(results);
  });
  const erased = emails.slice(1, 60).filter((email) => !isLeaver(email));
  const nightly = inPairs(batches, (batch) => sendBatch(batch, "tuesday"));
  for (const email of erased)
    expect((await send(`${path}/${ids.get(email)}`, { method: "DELETE", headers })).status).toBe(202);
  await nightly;
  const outcomes = (await inPairs(batches, (batch) => sendBatch(batch, "wednesday"))).flat();

  const expected = emails.map((email) => (erased.includes(email) ? "blocked" : isLeaver(email) ? "left" : "known"));
  expect(outcomes.map(({ result }) => result)).toEqual(expected);
  const states = await look(db, "select state, count(*) n from subscribers group by state order by state");
  expect(states).toEqual([
    { state: "active", n: 1_500 - erased.length },
    { state: "unsubscribed", n: 1_500 },
  ]);
  const welcomes =
    "select count(*) n, count(distinct recipient) people from outbox where kind = 'welcome' and recipient <> 'erased'";
  expect(await look(db, welcomes)).toEqual([{ n: 3_000 - erased.length, people: 3_000 - erased.length }]);
  const back = "select count(*) n from subscriber_events where kind in ('reactivated', 'restored', 'confirmed')";
  expect(await look(db, back)).toEqual([{ n: 0 }]);
});
