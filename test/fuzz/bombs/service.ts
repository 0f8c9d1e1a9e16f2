import * as keyAuthentication from "../../../db/access/keys/api-keys";
import * as broadcasts from "../../../db/broadcasts/edit";
import * as posts from "../../../db/posts/posts";
import * as projects from "../../../db/projects/projects";
import * as endpoints from "../../../db/webhooks/endpoints";
import { nextPeer, testService } from "../../support/service";
import { store } from "../../support/storage/stored-files";
import type { Random } from "./random";
import { type Bomb, bombFor, type Route, type Sent } from "./requests";
import { look } from "../../support/look";

/** Routes whose work is elsewhere: they call another server, or hash passwords (D35). */
const apart = /\/nodes\/:id\/test$|\/test-mail$/;

/** Routes that take files and long texts. */
const readsMuch =
  /^\/dashboard\/(posts\/(new|:id|preview|import|:id\/draft)|broadcasts\/:id(\/draft)?|settings\/welcome(\/preview)?|newsletter\/import\/)$/;

const letter = { preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "Words." };

/** A service with some content, and a sender of every kind. */
export async function target() {
  const service = await testService();
  const { app, clock, config, db, logged, now, post, signIn } = service;
  for (const slug of ["letters", "harbour"])
    await posts.save(
      db,
      { slug, title: slug, content: "Words. ".repeat(50), published: true, tags: ["a", "b"] },
      now(),
    );
  await projects.save(db, { slug: "tide", title: "Tide", status: "PUBLISHED", liveUrl: "https://tide.example" }, now());
  for (const subject of ["Rain", "Tides"])
    await broadcasts.create(
      db,
      { source: { kind: "own" }, fields: { ...letter, subject } },
      { actor: "ada@example.com" },
      now(),
    );
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: true };
  await endpoints.add(db, { fields: endpoint, secret: "" }, { actor: "ada@example.com" }, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  await post("/api/contact", { name: "Ada", email: "ada@example.com", message: "Good morning to you." });
  const [file = ""] = await store(service, {}, { filename: "b.html", mimeType: "text/html" });
  let headers = await service.key();
  const routes = (await app.routes()).filter(({ path }) => !apart.test(path)).map(routeOf);
  const areas = [
    ...[/^\/(?!dashboard|api\/v1)/, /^\/api\/v1/, /^\/dashboard/, /^\/dashboard/, readsMuch].map((area) =>
      routes.filter(({ path }) => area.test(path)),
    ),
    routes.filter(({ path, fields }) => path.startsWith("/api") && fields.length > 0),
  ].map((inside) => {
    const changing = inside.filter(({ method }) => method !== "GET");
    return [changing, changing, inside];
  });
  let manager = await signIn();

  const idIn = async (table: string) =>
    (await look<{ id: string }>(db, `select id from ${table} limit 1`))[0]?.id ?? "x";
  const tableOf: [RegExp, string][] = [
    [/posts\/:id/, "posts"],
    [/projects\/:id/, "projects"],
    [/broadcasts\/:id/, "broadcasts"],
    [/webhooks\/:id/, "webhook_endpoints"],
    [/newsletter\/:id/, "subscribers"],
    [/contact\/:id/, "messages"],
    [/outbox\/:id/, "outbox"],
    [/nodes\/:id/, "storage_nodes"],
    [/managers\/:id/, "managers"],
    [/api-keys\/:id/, "api_keys"],
    [/uploads\/:id/, "uploads"],
  ];
  const ids: Record<string, string> = { slug: "letters", filename: "b.html", page: "1", name: "app.css", key: "about" };
  /** The ID of some row of each table, as it is now. */
  const someIds = async () =>
    new Map(await Promise.all(tableOf.map(async ([, table]) => [table, await idIn(table)] as const)));
  const idOf = (some: Map<string, string>) => (name: string, path: string) => {
    if (name !== "id") return ids[name] ?? "x";
    const [, table] = tableOf.find(([route]) => route.test(path)) ?? [];
    return table ? (some.get(table) ?? "x") : file;
  };

  function requestOf({ method, url, headers: own, body }: Sent, { role }: Bomb): Request {
    const sent = new Headers(role === "manager" ? manager.headers : role === "key" ? headers : {});
    for (const [name, value] of Object.entries(own))
      sent.set(name, name === "cookie" ? `${sent.get("cookie") ?? ""}; ${value}` : value);
    if (role === "manager" && method === "POST" && !sent.has("x-form-token")) sent.set("x-form-token", manager.token);
    const filled = body === undefined || typeof body === "string" ? body : formOf(body, manager.token);
    return new Request(config.BASE_URL + url, { method, headers: sent, ...(filled !== undefined && { body: filled }) });
  }

  return {
    bomb: async (random: Random): Promise<Bomb> =>
      bombFor(random, random.of(random.of(random.of(areas))), idOf(await someIds())),
    /** Responds to the request completely. @returns its status, or 599 if our code threw */
    async send(bomb: Bomb, sent: Sent): Promise<number> {
      const failures = logged.length;
      const response = await app.handle(requestOf(sent, bomb), nextPeer());
      await response.arrayBuffer();
      await db.settled();
      const failed = logged
        .splice(0)
        .slice(failures)
        .find(({ event }) => event === "failed");
      return failed ? 599 : response.status;
    },
    /** Restores what the last request changed: the manager is signed in, and no limit is reached. */
    async mend(): Promise<void> {
      clock.time += 20 * 60_000;
      if (!(await keyAuthentication.authenticate(db, headers["x-api-key"], Date.now()))) headers = await service.key();
      manager = await signIn();
    },
    close: () => db.close(),
  };
}

const routeOf = ({ method, path, hooks }: { method: string; path: string; hooks?: unknown }): Route => ({
  ...{ method, path },
  fields: Object.keys((hooks as { body?: { shape?: object } } | undefined)?.body?.shape ?? {}),
});

function formOf({ fields, as }: Exclude<Sent["body"], string | undefined>, token: string): FormData | URLSearchParams {
  const form = as === "form" ? new URLSearchParams() : new FormData();
  form.set("_token", token);
  for (const [name, value] of fields)
    if (form instanceof FormData) form.append(name, value);
    else form.append(name, String(value));
  return form;
}
