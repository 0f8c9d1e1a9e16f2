import { expect, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import * as endpoints from "../../db/webhooks/endpoints";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";

async function service() {
  const own = await testService();
  const owner = await own.signIn();
  const text = async (path = "/dashboard", manager = owner) => (await manager.get(path)).text();
  return { ...own, owner, text };
}

/** The groups of the navigation, each with its links. */
const groupsIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<nav class="nav[^"]*" aria-label="([^"]+)">(.*?)<\/nav>/gs)].map(([, name, links = ""]) => [
      name,
      [...links.matchAll(/data-key=".">.*?<\/svg>([^<]+)/g)].map(([, label]) => label),
    ]),
  );

test("the navigation is ordered by what people do, and managers see no page that only owners open", async () => {
  const { signIn, text } = await service();
  const groups = {
    Start: ["Overview", "Inbox"],
    Audience: ["Subscribers", "Broadcasts", "Sequences", "Suppressions"],
    Content: ["Posts", "Projects", "Pictures", "Calendar"],
    System: ["Managers", "Settings", "Storage", "API keys", "Webhooks", "Emails", "People’s data", "Audit log"],
  };
  expect(groupsIn(await text())).toEqual(groups);
  const bob = await signIn({ email: "bob@example.com", role: "manager" });
  const System = groups.System.filter((label) => label !== "Managers");
  expect(groupsIn(await text("/dashboard", bob))).toEqual({ ...groups, System });
});

test("the folded part of the navigation says that Storage is in it, if it is", async () => {
  const { signIn, text } = await service();
  const folded = async (manager?: Parameters<typeof text>[1]) =>
    /<summary>.*?<\/svg>\s*([^<]+?)\s*</s.exec(await text("/dashboard", manager))?.[1];
  expect(await folded()).toBe("Storage and system");
  expect(await folded(await signIn({ email: "ed@example.com", role: "editor" }))).not.toBe("Storage and system");
});

test("the rarer pages are unfolded where they were before, and on their own pages", async () => {
  const { owner } = await service();
  const isUnfolded = async (path: string, cookie: string) =>
    /<details open[^>]*><summary>.*?Storage and system/s.test(
      await (await owner.get(path, { cookie: `${owner.headers.cookie}; ${cookie}` })).text(),
    );
  for (const [path, cookie, is] of [
    ["/dashboard", "tz=UTC", false],
    ["/dashboard/storage", "tz=UTC", true],
    ["/dashboard", "rarer-pages=unfolded; tz=UTC", true],
    ["/dashboard", "rarer-pages=folded", false],
    ["/dashboard", "rarer-pages=open", false],
  ] as const)
    expect([path, cookie, await isUnfolded(path, cookie)]).toEqual([path, cookie, is]);
});

test("a refusal and a failure keep the navigation, and stand alone where it cannot be had", async () => {
  const { db, signIn, text, owner } = await service();
  const editor = await signIn({ email: "ed@example.com", role: "editor" });
  const refusal = await editor.get("/dashboard/managers");
  const refused = await refusal.text();
  expect([refusal.status, groupsIn(refused).Start]).toEqual([403, groupsIn(await text("/dashboard", editor)).Start]);
  expect(refused).toContain("Only owners can");
  const manager = await signIn({ email: "bob@example.com", role: "manager" });
  const decided = await manager.get("/dashboard/settings/custom/postalAddress/edit"); // by the page, which others may use
  const sameLinks = groupsIn(await text("/dashboard", manager));
  expect([decided.status, groupsIn(await decided.text()).Start]).toEqual([403, sameLinks.Start]);
  const expired = await owner.submit("/dashboard/account/name", { name: "Ada", _token: "old" });
  expect([expired.status, groupsIn(await expired.text()).Start]).toEqual([403, ["Overview", "Inbox"]]);

  await look(db, "alter table snippets rename to snippets_gone");
  const failure = await owner.get("/dashboard/contact/snippets");
  const failed = await failure.text();
  expect([failure.status, groupsIn(failed).Start]).toEqual([500, ["Overview", "Inbox"]]);
  expect(failed).toContain("search the log for");

  await look(db, "alter table saved_views rename to saved_views_gone"); // the navigation needs it
  const alone = await owner.get("/dashboard/contact/snippets");
  expect([alone.status, groupsIn(await alone.text())]).toEqual([500, {}]);
});

test("a URL or a method that is not there keeps the navigation for who is signed in, and for no one else", async () => {
  const { db, owner, text, signIn, get } = await service();
  const editor = await signIn({ email: "ed@example.com", role: "editor" });
  const missing = await owner.get("/dashboard/nothing");
  const html = await missing.text();
  expect([missing.status, groupsIn(html).Start]).toEqual([404, ["Overview", "Inbox"]]);
  expect(html).toMatch(/<h1>[^<]+<\/h1><p role="alert">/);
  expect(groupsIn(await (await editor.get("/dashboard/nothing")).text())).toEqual(
    groupsIn(await text("/dashboard", editor)),
  );
  const method = await owner.submit("/dashboard/audit", {});
  expect([method.status, method.headers.get("allow"), groupsIn(await method.text()).Start]).toEqual([
    405,
    "GET, HEAD, OPTIONS",
    ["Overview", "Inbox"],
  ]);
  for (const headers of [{}, { cookie: "__Host-postroom=nobody" }]) {
    const alone = await get("/dashboard/nothing", headers);
    expect([alone.status, groupsIn(await alone.text())]).toEqual([404, {}]);
  }
  await look(db, "alter table sessions rename to sessions_gone");
  const alone = await owner.get("/dashboard/nothing");
  expect([alone.status, groupsIn(await alone.text())]).toEqual([404, {}]);
});

test("a form that is too large keeps the navigation, and says where what was typed is", async () => {
  const { owner, send } = await service();
  const large = { name: "x".repeat(70 * 1_024) };
  const answer = await owner.submit("/dashboard/account/name", large);
  const html = await answer.text();
  expect([answer.status, groupsIn(html).Start]).toEqual([413, ["Overview", "Inbox"]]);
  expect(html).toContain("what you typed is still in the form");
  const alone = await send("/dashboard/account/name", { method: "POST", body: new URLSearchParams(large) });
  expect([alone.status, groupsIn(await alone.text())]).toEqual([413, {}]);
});

test("the system's pages are folded away, but not while one of them is open", async () => {
  const { text } = await service();
  const isOpen = async (path: string) => /<details open><summary>/.test(await text(path));
  for (const path of [
    ...["/dashboard", "/dashboard/posts", "/dashboard/settings", "/dashboard/storage/pictures"],
    "/dashboard/managers",
  ])
    expect([path, await isOpen(path)]).toEqual([path, false]);
  for (const path of ["/dashboard/webhooks", "/dashboard/storage/nodes", "/dashboard/people", "/dashboard/audit"])
    expect([path, await isOpen(path)]).toEqual([path, true]);
});

test("a number is only where something waits, and what is folded away has a dot", async () => {
  const { db, post, text } = await service();
  const marks = async () =>
    [...(await text()).matchAll(/<span class="(?:count|dot)" id="([\w-]+)"(?: hidden)?>/g)].map(([mark, id]) =>
      mark.includes("hidden") ? undefined : id,
    );
  expect((await marks()).filter(Boolean)).toEqual([]);
  await post("/api/newsletter/subscribe", { email: "a@example.com" });
  expect((await marks()).filter(Boolean)).toEqual([]); // no one waits for anything
  await post("/api/contact", { name: "Hana", email: "h@example.com", message: "A question about tides." });
  expect((await marks()).filter(Boolean)).toEqual(["count-c"]);
  await look(db, "update outbox set state = 'dead'");
  expect((await marks()).filter(Boolean).sort()).toEqual(["count-c", "count-e", "system-trouble"]);
});

test("the menu of the account has who it is, the theme in use, and the way out", async () => {
  const { owner, text } = await service();
  const menu = async () => /<div class="menu account"[^]*?<\/div><\/div>/.exec(await text())?.[0] ?? "";
  expect(await menu()).toContain("owner@example.com · Owner");
  const pressed = async () => /aria-pressed="true">([^<]+)/.exec(await menu())?.[1];
  expect(await pressed()).toBe("System");
  await owner.submit("/dashboard/settings/theme/dark");
  expect(await pressed()).toBe("Dark");
  for (const href of ["/dashboard/account", "/dashboard/shortcuts", "/docs"])
    expect(await menu()).toContain(`href="${href}"`);
  expect(await menu()).toContain('action="/dashboard/sign-out"');
});

test("the help for the keyboard names every page of the navigation with the keys that open it", async () => {
  const { text } = await service();
  const keys = [...(await text()).matchAll(/<a href="[^"]*"[^>]* data-key="(.)">.*?<\/svg>([^<]+)/gs)];
  expect(keys.length).toBeGreaterThan(15);
  const help = await text("/dashboard/shortcuts");
  for (const [, key, label] of keys)
    expect([label, help]).toEqual([
      label,
      expect.stringContaining(`<dt><kbd>g</kbd><kbd>${key}</kbd></dt><dd>${label?.trim()}</dd>`),
    ]);
});

test("an empty trash, an endpoint that was never called and a desk without snippets have drawings", async () => {
  const { db, now, post, text } = await service();
  await posts.save(db, { title: "Tides", slug: "tides", published: false }, now());
  await post("/api/contact", { name: "Noa", email: "noa@example.com", message: "Hello over there." });
  await projects.save(db, { title: "Tides", slug: "tides", status: "PUBLISHED" }, now());
  const fields = { name: "build", url: "https://build.example.com/hook", events: [], withPeople: false };
  const endpoint = await endpoints.add(db, { fields, secret: "sealed" }, { actor: "ada@example.com" }, now());
  const headings = { "contact/snippets": "No snippets yet", [`webhooks/${endpoint?.id}`]: "No deliveries yet" };
  const trash = ["posts?status=trash", "projects?status=trash", "contact?box=trash", "storage/trash"];
  for (const [path, heading] of [
    ...Object.entries(headings),
    ...trash.map((path) => [path, "The trash is empty"] as const),
  ])
    expect([path, await text(`/dashboard/${path}`)]).toEqual([
      path,
      expect.stringMatching(new RegExp(`<svg class="drawing"(?:(?!<h2>).)*<h2>${heading}</h2>`, "s")),
    ]);
});

test("a page that has nothing to show yet has a drawing of its own, and says what will be there", async () => {
  const { text } = await service();
  for (const path of [
    ...["newsletter", "newsletter/topics", "newsletter/fields", "broadcasts", "broadcasts/from-posts", "sequences"],
    ...["suppressions", "contact", "posts", "posts/tags", "projects", "storage", "storage/nodes", "api-keys"],
    ...["webhooks", "outbox"],
  ])
    expect([path, await text(`/dashboard/${path}`)]).toEqual([
      path,
      expect.stringMatching(/<svg class="drawing".*?<h2>[^<]+ yet<\/h2>/s),
    ]);
});
