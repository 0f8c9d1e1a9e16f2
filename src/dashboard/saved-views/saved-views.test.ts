import { expect, test } from "bun:test";
import { removeManager } from "../../../db/manager-removal";
import * as subscribers from "../../../db/newsletter/subscribers";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/views";
const list = "/dashboard/newsletter";

async function withSubscriber() {
  const service = await testService();
  const manager = await service.signIn();
  await subscribers.subscribe(service.db, { email: "ada@example.com", source: "blog" }, { via: "form" }, service.now());
  const read = async (url: string, reader = manager) => (await reader.get(url)).text();
  const save = (name: string, query = "source=blog", to = list) =>
    manager.submit(path, { list: to, query, name }, { referer: `http://localhost:3000${to}?${query}` });
  /** The names of the views above a list, with the current one in brackets. */
  const namesOn = async (url: string, reader = manager) =>
    [...(await read(url, reader)).matchAll(/id="view-[\w-]+"( aria-current="true")?>([^<]+)</g)].map(([, now, name]) =>
      now ? `[${name}]` : name,
    );
  const idOf = async (name: string) =>
    String((await look(service.db, "select id, name from saved_views")).find((view) => view.name === name)?.id);
  return { ...service, manager, read, save, namesOn, idOf };
}

test("a filter is kept under a name, without the page and whatever the order of its parts, and is a link above the list", async () => {
  const { read, save, namesOn } = await withSubscriber();
  expect(await read(list)).not.toContain('class="views"');
  const filtered = await read(`${list}?sort=email&source=blog&page=1`);
  expect(filtered).toContain(
    `href="${path}/new?list=%2Fdashboard%2Fnewsletter&amp;query=sort%3Demail%26source%3Dblog"`,
  );
  const form = await read(`${path}/new?list=${list}&query=sort%3Demail%26source%3Dblog`);
  expect(form).toContain('name="query" value="sort=email&amp;source=blog"');
  const saved = await save("Readers of the blog", "source=blog&sort=email&page=7");
  expect([saved.status, saved.headers.get("location")]).toEqual([303, `${list}?sort=email&source=blog`]);
  expect(await namesOn(list)).toEqual(["Readers of the blog"]);
  const page = await read(`${list}?source=blog&sort=email&page=1`);
  expect(await namesOn(`${list}?source=blog&sort=email`)).toEqual(["[Readers of the blog]"]);
  expect(page).toContain(`href="${list}?sort=email&amp;source=blog"`);
  expect(page).not.toContain("Save view…");
  expect(await read("/dashboard/search?q=readers")).toContain(`href="${list}?sort=email&amp;source=blog"`);
});

test("a view is renamed, and deleted with a way back", async () => {
  const { manager, read, save, namesOn, idOf } = await withSubscriber();
  await save("Blog");
  await save("Others", "source=other");
  const id = await idOf("Blog");
  expect(await read(`${path}/${id}/rename`)).toContain('value="Blog"');
  const taken = await manager.submit(`${path}/${id}/rename`, { name: "Others" });
  expect([taken.status, await taken.text()]).toEqual([422, expect.stringContaining("Choose another.") as never]);
  expect((await manager.submit(`${path}/${id}/rename`, { name: "Blog" })).status).toBe(303);
  await manager.submit(`${path}/${id}/rename`, { name: "From the blog" });
  expect(await namesOn(`${list}?source=blog`)).toEqual(["[From the blog]", "Others"]);
  const answer = await manager.submit(`${path}/${id}/delete`);
  expect(answer.headers.get("location")).toBe(`${list}?source=blog`);
  const after = await read(`${list}?source=blog`);
  expect(after).toContain("View “From the blog” deleted.");
  expect(after).toMatch(/action="\/dashboard\/views"(?:(?!<\/form>).)*name="name" value="From the blog"/s);
  expect(await namesOn(list)).toEqual(["Others"]);
  expect((await manager.submit(`${path}/${id}/delete`)).headers.get("location")).toBe("/dashboard");
});

test("views belong to one manager and one list, and go with the manager", async () => {
  const { db, signIn, manager, save, namesOn, idOf } = await withSubscriber();
  await save("Blog");
  await save("Blog", "actor=ada", "/dashboard/audit");
  expect(await namesOn("/dashboard/audit?actor=ada")).toEqual(["[Blog]"]);
  const other = await signIn({ email: "bo@example.com", name: "Bo", role: "manager" });
  const id = await idOf("Blog");
  expect(await namesOn(list, other)).toEqual([]);
  await other.submit(`${path}/${id}/rename`, { name: "Mine" });
  await other.submit(`${path}/${id}/delete`);
  await other.submit(path, { list, query: "source=blog", name: "Theirs" });
  expect(await namesOn(list)).toEqual(["Blog"]);
  const by = { actor: manager.manager.email };
  await removeManager(db, { actingManager: manager.manager, id: other.manager.id, keep: new Set() }, by, new Date());
  expect(await look(db, "select name from saved_views where name = 'Theirs'")).toEqual([]);
});

test("a name is needed, is new, and is text; a list has twenty views; the path stays in the dashboard", async () => {
  const { read, save, namesOn } = await withSubscriber();
  const refused = async (...view: Parameters<typeof save>) => {
    const answer = await save(...view);
    return [answer.status, /id="view-name-error"[^>]*>(?:<svg.*?<\/svg>)?([^<]+)/s.exec(await answer.text())?.[1]];
  };
  expect(await refused("  ")).toEqual([422, "Enter a name."]);
  expect((await refused("x".repeat(61)))[0]).toBe(422);
  await save('"><script>alert(1)</script>', "q=1");
  expect(await read(list)).not.toContain("<script>alert");
  expect(await refused('"><script>alert(1)</script>')).toEqual([
    422,
    "You already have a view with this name. Choose another.",
  ]);
  expect((await save("Elsewhere", "q=2", "https://evil.example/")).headers.get("location")).toBe(`${list}?q=2`);
  for (let i = 2; i < 20; i++) await save(`View ${i}`, `q=${i}`);
  expect(await refused("One more", "q=99")).toEqual([422, "This list has 20 views. Delete one of them first."]);
  expect(await namesOn(list)).toHaveLength(20);
  expect((await save("Long", `q=${"a".repeat(5_000)}`, "/dashboard/audit")).headers.get("location")).toBe(
    "/dashboard/audit",
  );
});

test("a manager has two hundred views, whatever lists they name", async () => {
  const { db, manager, save } = await withSubscriber();
  await look(
    db,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
      insert into saved_views (id, manager_id, path, name, query, created_at)
      select 'view ' || i, ?, '/dashboard/webhooks/' || i, 'Failed', 'state=dead', 0 from n`,
    [manager.manager.id],
  );
  const refused = await save("Blog", "source=blog", "/dashboard/invented");
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining("You have 200 views.") as never,
  ]);
  await look(db, "delete from saved_views where id = 'view 7'");
  expect((await save("Blog")).status).toBe(303);
});
