import { expect, setDefaultTimeout, test } from "bun:test";
import * as broadcasts from "../../db/broadcasts/edit";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import * as endpoints from "../../db/webhooks/endpoints";
import { testService } from "../../test/support/service";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const json = "application/json";
const form = "application/x-www-form-urlencoded";
const by = { actor: "owner@example.com" };
const letter = { subject: "", preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "x" };
/** What no page of ours sends: content types and bodies. */
const bodies: [type: string | undefined, body: string | null][] = [
  [undefined, null],
  [form, ""],
  [json, ""],
  [json, "[]"],
  [json, '"x"'],
  [json, "null"],
  [json, "1"],
  [json, "{}"],
  [json, '{"version":{},"title":[],"ids":{},"id":[[]],"name":1,"email":{},"password":[],"numbers":"x"}'],
  ["text/plain", "x"],
  ["application/octet-stream", "x"],
  ["application/xml", "<x/>"],
  [json, '{"version":1e300,"fine":{},"source":5,"confirmed":1,"filter":[],"typed":{},"mode":"anyOf"}'],
  [form, "version=1e300&fine=a&source=a&confirmed=a&confirmed=b&name=x&url=https://example.com/"],
  ["multipart/form-data", "x"],
  ["multipart/form-data; boundary=x", "--x\r\n\r\nx"],
];

test("no changing route fails over a body that no page of ours sends", async () => {
  const { app, db, logged, now, send, signIn } = await testService();
  const changing = (await app.routes()).filter(
    ({ method, path }) => method !== "GET" && /^\/dashboard(\/|$)/.test(path),
  );
  expect(changing.length).toBeGreaterThan(60);
  await endpoints.add(
    db,
    { fields: { name: "x", url: "https://example.com/", events: [], withPeople: false }, secret: "" },
    by,
    now(),
  );
  let made = 0;
  /** A path with an ID that exists: without one, a route might respond before it looks at the body. */
  async function there(path: string): Promise<string> {
    const slug = `made-${made++}`;
    const { id } = /\/projects\/:id/.test(path)
      ? await projects.save(db, { slug, title: slug }, now())
      : /\/posts\/:id/.test(path)
        ? await posts.save(db, { slug, title: slug, published: false }, now())
        : /\/broadcasts\/:id/.test(path)
          ? await broadcasts.create(db, { source: { kind: "own" }, fields: { ...letter, subject: slug } }, by, now())
          : /\/webhooks\/:id/.test(path)
            ? ((await endpoints.list(db))[0] ?? { id: "x" })
            : { id: "x" };
    return path
      .replace(":id", id)
      .replace(/:[^/]+/g, "x")
      .replace(/(.)\/$/, "$1");
  }

  const failed: string[] = [];
  for (const { method, path } of changing)
    for (const [type, body] of bodies) {
      const { headers: own, token } = await signIn();
      const headers = { ...own, "x-form-token": token, ...(type && { "content-type": type }) };
      const { status } = await send(await there(path), { method, headers, body });
      if (status >= 500) failed.push(`${method} ${path} ${type} ${body}: ${status}`);
    }
  expect(failed).toEqual([]);
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a path that is no text is nowhere", async () => {
  const { app, logged, send, signIn } = await testService();
  const withId = (await app.routes()).filter(({ path }) => path.startsWith("/dashboard/") && path.includes(":"));
  expect(withId.length).toBeGreaterThan(60);
  const statuses = new Set<number>();
  const { headers: own, token } = await signIn();
  for (const { method, path } of withId) {
    const headers = { ...own, "x-form-token": token };
    const body = method === "GET" ? null : new URLSearchParams({ ids: "x" });
    statuses.add((await send(path.replace(/:\w+/g, "%ff"), { method, headers, body })).status);
  }
  expect([...statuses]).toEqual([404]);
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});
