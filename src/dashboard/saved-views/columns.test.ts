import { expect, test } from "bun:test";
import { detailNames, detailWords } from "../../../db/newsletter/details";
import * as subscribers from "../../../db/newsletter/subscribers";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/columns";
const list = "/dashboard/newsletter";
const withHtmx = { "hx-request": "true", "hx-request-type": "partial" };

async function withSubscribers() {
  const service = await testService();
  const manager = await service.signIn();
  const { db, now } = service;
  await subscribers.subscribe(db, { email: "ada@example.com", source: "blog" }, { via: "form" }, now());
  await manager.submit(list, { email: "bo@example.com", tags: "Press" });
  const columns = async (url = list, reader = manager) =>
    [...(await (await reader.get(url)).text()).matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([A-Z][^<]+)</g)].map(
      ([, title]) => title,
    );
  const choose = (fields: Record<string, string | string[]>, url = `${list}?source=blog`) =>
    manager.submit(path, { list: "subscribers", ...fields }, { referer: `http://localhost:3000${url}` });
  return { ...service, manager, columns, choose };
}

test("columns are chosen by list and manager, and kept; the list comes back as it was", async () => {
  const { columns, choose, signIn } = await withSubscribers();
  expect(await columns()).toEqual(["Subscriber", "Tags", "Source", "Joined"]);
  const answer = await choose({ shown: ["language", "tags", "state"] }); // "state" was a column once
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${list}?source=blog`]);
  expect(await columns()).toEqual(["Subscriber", "Tags", "Language"]);
  expect(await columns("/dashboard/suppressions")).toEqual([]);
  const other = await signIn({ email: "bo@example.com", name: "Bo", role: "manager" });
  expect(await columns(list, other)).toEqual(["Subscriber", "Tags", "Source", "Joined"]);
  await choose({ shown: "source" });
  expect(await columns()).toEqual(["Subscriber", "Source"]);
  await choose({});
  expect(await columns()).toEqual(["Subscriber"]);
});

test.each(detailNames.filter((name) => name !== "name"))(
  "what is stored of people is a column for who wants it: %s",
  async (name) => {
    const { columns, choose } = await withSubscribers();
    await choose({ shown: name });
    expect(await columns()).toEqual(["Subscriber", expect.stringMatching(new RegExp(`^${detailWords(name)}$`, "i"))]);
  },
);

test("what differs is kept, so that a column that comes later is there; other preferences and the log stay", async () => {
  const { db, manager, choose } = await withSubscribers();
  await manager.submit("/dashboard/settings/theme/dark");
  const before = await look(db, "select count(*) n from audit_events");
  await choose({ shown: ["tags", "source", "joined", "language"] });
  await choose({ list: "posts", shown: ["state", "views", "published"] });
  const [row] = await look<{ preferences: string }>(db, "select preferences from managers");
  expect(JSON.parse(String(row?.preferences))).toEqual({
    theme: "dark",
    "columns.subscribers": "language",
    "columns.posts": "",
  });
  expect(await look(db, "select count(*) n from audit_events")).toEqual(before);
});

test("exports have every column, whatever is shown", async () => {
  const { manager, choose } = await withSubscribers();
  const file = async () => (await manager.get(`${list}/export.csv`)).text();
  const whole = await file();
  await choose({});
  expect(await file()).toBe(whole);
});

test("with htmx only the list comes back; unknown lists and columns choose nothing", async () => {
  const { manager, choose, columns } = await withSubscribers();
  const fields = { list: "subscribers", shown: "tags" };
  const at = { "hx-current-url": `http://localhost:3000${list}?source=blog` };
  const answer = await manager.submit(path, fields, { ...withHtmx, ...at });
  const location = answer.headers.get("location") ?? "";
  expect([answer.status, location]).toEqual([303, `${list}?source=blog`]);
  expect(await (await manager.get(location, withHtmx)).text()).toStartWith('<section class="list" id="list"');
  await choose({ shown: ["nonsense", "tags", "tags"] });
  expect(await columns()).toEqual(["Subscriber", "Tags"]);
  for (const hostile of [{ list: "managers" }, { list: "__proto__" }, { shown: "x".repeat(41) }])
    expect((await choose(hostile)).status).toBe(400);
  expect((await choose({}, "//evil.example/")).headers.get("location")).toStartWith("/dashboard");
});
