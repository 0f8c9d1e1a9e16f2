import { expect, test } from "bun:test";
import { create } from "../../db/broadcasts/edit";
import * as managers from "../../db/access/managers";
import { mayUse, permissionFor } from "../../src/dashboard/permissions";
import { fillWithDemo } from "../../src/demo/fill";
import { everything, look } from "../support/look";
import { nextPeer, testService } from "../support/service";
import { store } from "../support/storage/stored-files";
import { includes, openRoutes, type Route, spellings } from "./who-may";

const partial = ["editor", "analyst"] as const;
type Service = Awaited<ReturnType<typeof testService>>;
type Manager = Awaited<ReturnType<Service["signIn"]>>;

const routesOf = async ({ app }: Service): Promise<Route[]> =>
  (await app.routes()).filter(
    ({ method, path }) => /^\/dashboard(\/|$)/.test(path) && !openRoutes.has(`${method} ${path}`),
  );
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const concrete = (path: string, id: string) => path.replace(/:\w+/g, id).replace(/(.)\/$/, "$1");

/** A site with something of everything, some of which has a sign that only managers may see. */
async function filled() {
  const service = await testService();
  const { db, now } = service;
  await fillWithDemo(service, now());
  await store(service, { filename: "harbour.jpg" });
  const fields = { subject: "Rain", preheader: "", fromName: "", archive: "listed" as const, content: "Hello." };
  const audience = { all: [{ field: "source" as const, is: "any" as const, of: ["secret-address"] }] };
  const source = "someone@sources.example"; // visitors may say where they come from
  await service.post("/api/newsletter/subscribe", { email: "late@example.com", source });
  await create(db, { source: { kind: "own" }, fields: { ...fields, segment: audience } }, { actor: "cli" }, now());
  return service;
}

test("every route of the dashboard declares who may use it, as the specification says (S1)", async () => {
  const service = await testService();
  const declared: string[] = [];
  for (const route of await routesOf(service)) {
    const permission = permissionFor(service.deps, route.path, route.method);
    if (!permission) throw new Error(`${nameOf(route)} declares no permission`);
    for (const role of partial) {
      expect([nameOf(route), role, permission.roles.includes(role)]).toEqual([
        nameOf(route),
        role,
        includes(role, route),
      ]);
      if (permission.roles.includes(role)) declared.push(role);
    }
  }
  expect(declared.filter((role) => role === "editor").length).toBeGreaterThan(60);
  expect(declared.filter((role) => role === "analyst").length).toBeGreaterThan(20);
});

test("what no route has declared is open to owners alone", () => {
  const undeclared = [{ segments: [], path: "/dashboard/nowhere" }];
  for (const { path } of undeclared)
    for (const role of managers.roles) expect([role, mayUse({}, role, path)]).toEqual([role, role === "owner"]);
});

test.each(partial)(
  "%s: what the role does not include is closed, however it is spelled, and changes nothing (S1)",
  async (role) => {
    const service = await filled();
    const { app, db, signIn } = service;
    const { headers, token } = await signIn({ email: "carol@example.com", role });
    const ids = Object.values((await look<{ id: string }>(db, "select id from messages limit 1"))[0] ?? {});
    const closed = (await routesOf(service)).filter((route) => !includes(role, route));
    expect(closed.length).toBeGreaterThan(100);
    await db.settled();
    const before = await everything(db);
    for (const route of closed)
      for (const [at, asked] of spellings(concrete(route.path, ids[0] ?? "x")).entries())
        for (const method of route.method === "GET" ? ["GET", "HEAD"] : [route.method]) {
          const body = method === "POST" ? { body: `_token=${encodeURIComponent(token)}` } : {};
          const type = { "content-type": "application/x-www-form-urlencoded" };
          const request = new Request(`http://localhost:3000${asked}`, {
            method,
            headers: { ...headers, ...type },
            ...body,
          });
          const { status } = await app.handle(request, nextPeer());
          const isElsewhere =
            at > 0 && (status === 404 || status === 405 || includesAnother(service, role, method, asked));
          expect([method, asked, status === 403 || isElsewhere || status]).toEqual([method, asked, true]);
        }
    await db.settled();
    expect(await everything(db)).toEqual(before);
  },
);

/** Another spelling may lead to another route, which the role includes. */
const includesAnother = ({ deps }: Service, role: managers.Role, method: string, path: string) =>
  mayUse(deps, role, new URL(path, "http://localhost").pathname, method === "HEAD" ? "GET" : method);

test.each(partial)("%s: what the role includes is open", async (role) => {
  const service = await testService();
  const carol = await service.signIn({ email: "carol@example.com", role });
  for (const route of (await routesOf(service)).filter(
    (route) => includes(role, route) && !/sign-out|\/live/.test(route.path),
  )) {
    const path = concrete(route.path, "x");
    const { status } = route.method === "GET" ? await carol.get(path) : await carol.submit(path);
    expect([nameOf(route), status === 403 || status >= 500 ? status : "open"]).toEqual([nameOf(route), "open"]);
  }
});

/** Every page that the role includes, for everything that there is. */
async function pagesFor(service: Service, role: (typeof partial)[number], person: Manager) {
  const tables = ["posts", "projects", "broadcasts", "uploads", "subscribers", "messages"];
  const ids = (
    await Promise.all(tables.map((table) => look<{ id: string }>(service.db, `select id from ${table} limit 3`)))
  ).flat();
  const revisions = await look<{ id: string }>(service.db, "select id from post_revisions limit 1").catch(() => []);
  const routes = (await routesOf(service)).filter(
    (route) => route.method === "GET" && includes(role, route) && !/\/live|\/download|export/.test(route.path),
  );
  const paths = routes.flatMap(({ path }) =>
    path.includes("/:") ? [...ids, ...revisions].map(({ id }) => concrete(path, id)) : [concrete(path, "x")],
  );
  const queries = [
    "/dashboard/search?q=a",
    "/dashboard/search?q=e&recent=",
    "/dashboard/search?q=@",
    "/dashboard/search?q=ad",
    "/dashboard/search?q=ada@example.com",
    "/dashboard/search?q=settings",
  ];
  const pages: { path: string; status: number; html: string }[] = [];
  for (const path of new Set([...paths, ...queries])) {
    const answer = await person.get(path);
    if (answer.status >= 500) throw new Error(`${path}: ${answer.status}`);
    pages.push({ path, status: answer.status, html: await answer.text() });
  }
  return pages.filter(({ status }) => status !== 404);
}

const attributes = /\s(href|action|formaction|hx-get|hx-post|data-poll|data-refresh)="(\/dashboard[^"]*)"/g;

/** The links and forms of a page that lead to what the role does not include. */
function astray({ deps }: Service, role: managers.Role, html: string): string[] {
  const isOpen = /^\/dashboard\/(sign-in|setup|reset)/;
  return [...html.matchAll(attributes)].flatMap(([, name = "", raw = ""]) => {
    const path = raw.replaceAll("&amp;", "&");
    const methods = name === "action" || name === "formaction" || name === "hx-post" ? ["POST", "GET"] : ["GET"];
    const wanted = name === "hx-post" || name === "formaction" ? ["POST"] : methods;
    return isOpen.test(path) || wanted.some((method) => mayUse(deps, role, path, method)) ? [] : [`${name} ${path}`];
  });
}

test.each(partial)("%s: no page leads to anything that the role does not include", async (role) => {
  const service = await filled();
  const carol = await service.signIn({ email: "carol@example.com", name: "Carol", role });
  const pages = await pagesFor(service, role, carol);
  expect(pages.filter(({ status }) => status === 200).length).toBeGreaterThan(role === "editor" ? 40 : 15);
  const problems = pages.flatMap(({ path, html }) =>
    [...new Set(astray(service, role, html))].map((link) => `${path}: ${link}`),
  );
  expect(problems).toEqual([]);
});

test("an analyst sees no address, name, text or IP of anyone, on any page, in search, or when refused", async () => {
  const service = await filled();
  const { db, deps, signIn } = service;
  const ada = await signIn({ email: "ada@managers.example", name: "Ada Lovelace" });
  await ada.submit("/dashboard/account/name", { name: "Ada L." }); // something for the audit log
  const carol = await signIn({ email: "carol@example.com", name: "Carol", role: "analyst" });
  const people = await look<{ email: string; name: string | null }>(db, "select email, name from subscribers");
  const messages = await look<{ email: string; name: string; message: string }>(
    db,
    "select email, name, message from messages",
  );
  expect(people.length + messages.length).toBeGreaterThan(40);
  const secrets = [
    ...[...people, ...messages].flatMap(({ email, name }) => [email, ...(name ? [name] : [])]),
    ...messages.map(({ message }) => message.slice(0, 40)),
    ...["ada@managers.example", "Ada L", "secret-address", "@sources.example", "127.0.0.1", "owner@example.com"],
  ];
  const routes = await routesOf(service);
  const pages = await pagesFor(service, "analyst", carol);
  const refused: typeof pages = [];
  for (const { path } of routes.filter((route) => route.method === "GET" && !includes("analyst", route))) {
    const answer = await carol.get(concrete(path, "x"));
    refused.push({ path, status: answer.status, html: await answer.text() });
  }
  expect(refused.every(({ status }) => status === 403)).toBe(true);
  const problems = [...pages, ...refused].flatMap(({ path, html }) =>
    secrets
      .filter((secret) => html.includes(secret) && !path.includes("/account"))
      .map((secret) => `${path}: ${secret}`),
  );
  expect([deps === service.deps, problems]).toEqual([true, []]);
});

test("each role is told only of changes to what it sees, and open pages know no figure of the rest", async () => {
  const { db, post, signIn } = await testService();
  const accept = { accept: "text/event-stream" };
  const first = async (role: managers.Role) => {
    const person = await signIn({ email: `${role}@example.com`, role });
    const { body } = await person.get("/dashboard/live?since=x", accept);
    const chunk = await body?.getReader().read();
    return new TextDecoder().decode(chunk?.value);
  };
  await post("/api/contact", { name: "Ada", email: "ada@example.com", message: "Hello, is anyone there?" });
  await db.settled();
  const topicsOf = (text: string) => /data: (.*)/.exec(text)?.[1];
  expect(topicsOf(await first("manager"))).toBe("messages emails webhooks uploads broadcasts erasures");
  const [editor, analyst] = [await first("editor"), await first("analyst")];
  expect([topicsOf(editor), /id: (.*)/.exec(editor)?.[1]]).toEqual([
    "uploads",
    expect.stringMatching(/^\.\.\.\w+\.\.$/),
  ]);
  expect([topicsOf(analyst), /id: (.*)/.exec(analyst)?.[1]]).toEqual([
    "broadcasts",
    expect.stringMatching(/^\.\.\.\.\w+\.$/),
  ]);
});
