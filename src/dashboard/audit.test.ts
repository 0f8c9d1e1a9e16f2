import { expect, test } from "bun:test";
import type { AuditAction } from "../../db/audit-actions";
import * as audit from "../../db/audit";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";

const path = "/dashboard/audit";

/** Events of three days, and the targets that a page shows. */
async function log() {
  const service = await testService();
  const { clock, db, now, signIn } = service;
  const { get } = await signIn();
  const shown = async (query: string) => {
    const page = await (await get(`${path}?${query}`)).text();
    return [...page.matchAll(/<summary>[^<]*<strong>([^<]*)<\/strong>/g)].map(([, target]) => target);
  };
  const note = (actor: string, action: AuditAction, target: string, details = {}) =>
    audit.note(db, { actor, action, target, details, targetId: `id-${target}`, address: "203.0.113.9" }, now());
  clock.time += 24 * 3_600_000;
  await note("ada@example.com", "api-key.deactivate", "Blog");
  clock.time += 24 * 3_600_000;
  await note("cli", "api-key.create", "Größe");
  await note("ada@example.com", "subscriber.delete", "<img src=x>", { reason: "asked <b>to</b>" });
  clock.time -= 48 * 3_600_000; // back to when the session is alive
  return { ...service, get, note, shown };
}

test("the latest event comes first, shown and never interpreted", async () => {
  const { get, shown } = await log();
  expect(await shown("")).toEqual(["&lt;img src=x&gt;", "Größe", "Blog", "owner@example.com"]);
  const page = await (await get(path)).text();
  for (const text of [
    "asked &lt;b&gt;to",
    "203.0.113.9",
    "id-Blog",
    "23 Nov 2026, 12:00",
    "signed in",
    "deactivated the API key",
  ])
    expect(page).toContain(text);
});

test.each([
  ["actor=cli", ["Größe"]],
  ["action=api-key", ["Größe", "Blog"]],
  ["actor=ada%40example.com&action=api-key", ["Blog"]],
  ["q=GRÖSSE", ["Größe"]],
  ["q=id-blog", ["Blog"]],
  ["q=%25", []],
  ["from=2026-11-22&to=2026-11-22", ["Blog"]],
  ["from=2026-11-23", ["&lt;img src=x&gt;", "Größe"]],
  ["to=2026-11-21", ["owner@example.com"]],
  ["from=nonsense&page=x&actor=", ["&lt;img src=x&gt;", "Größe", "Blog", "owner@example.com"]],
])("%s", async (query, targets) => {
  const { shown } = await log();
  expect(await shown(query)).toEqual(targets);
});

test("days are the manager's own", async () => {
  const { db, clock, note, shown } = await log();
  await look(db, `update managers set preferences = '{"timeZone":"Pacific/Auckland"}'`);
  clock.time = Date.parse("2026-11-30T11:30:00Z"); // half past midnight on 1 December there
  await note("cli", "post.publish", "Letter");
  clock.time = Date.parse("2026-11-21T12:00:00Z");
  expect(await shown("from=2026-12-01&to=2026-12-01")).toEqual(["Letter"]);
  expect(await shown("to=2026-11-30&action=post")).toEqual([]);
});

test("fifty events a page, and a page past the end is the last one", async () => {
  const { note, shown } = await log();
  for (let i = 0; i < 100; i++) await note("cli", "post.publish", `Post ${i}`);
  expect((await shown("action=post")).length).toBe(50);
  expect((await shown("action=post&page=2")).at(-1)).toBe("Post 0");
  expect((await shown("action=post&page=9")).at(-1)).toBe("Post 0");
});

test("no match is not the same as no events, and htmx gets the list alone", async () => {
  const { get } = await log();
  expect(await (await get(`${path}?q=nothing`)).text()).toContain("No matching events");
  const partial = await (await get(path, { "hx-request": "true", "hx-request-type": "partial" })).text();
  expect(partial).toStartWith('<section class="list" id="list"');
});
