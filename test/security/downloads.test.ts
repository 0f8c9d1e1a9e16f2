import { expect, test } from "bun:test";
import { dayOf } from "../../db/lib/time";
import { addToDay } from "../../db/visits";
import * as posts from "../../db/posts/posts";
import { suppress } from "../../db/suppressions/suppressions";
import { testService } from "../support/service";
import { look, refuse } from "../support/look";

const marker = "violet-marker"; // in everything that a download could contain

/** A service with people on its lists, its owner, and every route that sends a file of what a list shows. */
async function desk() {
  const service = await testService();
  const { app, db, now, post, signIn } = service;
  await posts.save(db, { slug: "a", title: marker, content: marker, published: false }, now());
  await post("/api/newsletter/subscribe", { email: `${marker}@example.com` });
  const suppressed = { email: `${marker}@example.com`, reason: "manual" as const };
  await db.write((orm) => suppress(orm, suppressed, { via: "cli" }, now()));
  await post("/api/contact", { name: marker, email: "ada@example.com", message: `${marker} says good morning.` });
  const counted = { view: new Map([["a", 1]]), click: new Map([["a", 1]]) };
  for (const ago of [0, 1]) await db.write((orm) => addToDay(orm, dayOf(now()) - ago, counted));
  const owner = await signIn();
  const downloads: string[] = [];
  for (const { method, path } of await app.routes()) {
    if (method !== "GET" || !path.startsWith("/dashboard/") || path.includes(":")) continue;
    const answer = await owner.get(path);
    if (answer.headers.get("content-disposition")?.startsWith("attachment")) downloads.push(path);
    await answer.body?.cancel();
  }
  const exports = async () =>
    (await look(db, "select actor, action from audit_events where action like '%.export' order by id")).length;
  return { ...service, downloads, exports, owner };
}

const passive: [string, { method?: string; headers?: Record<string, string> }][] = [
  ["HEAD", { method: "HEAD" }],
  ["Purpose: prefetch", { headers: { purpose: "prefetch" } }],
  ["Sec-Purpose: prefetch", { headers: { "sec-purpose": "prefetch" } }],
  ["Sec-Purpose: prefetch;prerender", { headers: { "sec-purpose": "prefetch;prerender" } }],
  ["Sec-Purpose: prerender", { headers: { "sec-purpose": "prerender" } }],
  ["X-Purpose: preview", { headers: { "x-purpose": "preview" } }],
  ["X-Moz: prefetch", { headers: { "x-moz": "prefetch" } }],
];

test("every download of a list is recorded in the audit log (D40)", async () => {
  const { downloads, exports, owner } = await desk();
  expect(downloads.length).toBeGreaterThanOrEqual(4);
  for (const path of downloads) {
    const before = await exports();
    const answer = await owner.get(path);
    expect([path, answer.status, await exports()]).toEqual([path, 200, before + 1]); // before its body was read
    expect([path, (await answer.bytes()).length > 50]).toEqual([path, true]);
  }
});

test.each(passive)(
  "no list is sent ahead of time, to %s neither, and then there is no row",
  async (_, { method, headers }) => {
    const { downloads, exports, owner, send } = await desk();
    for (const path of downloads) {
      const before = await exports();
      const answer = await send(path, { method: method ?? "GET", headers: { ...owner.headers, ...headers } });
      expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 403, "no-store"]);
      expect(answer.headers.get("content-disposition")).toBeNull();
      expect(await answer.text()).not.toContain(marker);
      expect([path, await exports()]).toEqual([path, before]);
    }
  },
);

test("a download that cannot be put on record is not sent", async () => {
  const { db, downloads, owner } = await desk();
  await refuse(db, "insert", "audit_events");
  for (const path of downloads) {
    const answer = await owner.get(path);
    expect([path, answer.status, (await answer.text()).includes(marker)]).toEqual([path, 500, false]);
  }
});
