import { expect, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { store } from "../support/storage/stored-files";
import { testService } from "../support/service";
import { look } from "../support/look";

/** The pages that show or send files: only their policies list the storage nodes (D38). */
const withNodes = [
  "/dashboard/posts",
  "/dashboard/posts/:id",
  "/dashboard/posts/new",
  "/dashboard/posts/pictures",
  "/dashboard/projects",
  "/dashboard/projects/:id",
  "/dashboard/projects/new",
  "/dashboard/settings/brand",
  "/dashboard/settings/welcome",
  "/dashboard/storage",
  "/dashboard/storage/files/:id",
  "/dashboard/storage/files/:id/replace",
  "/dashboard/storage/pictures",
];

test("only pages that show or send files name the nodes in their policy, and what they name is an origin (D38)", async () => {
  const service = await testService();
  const { app, db, now, signIn } = service;
  const [file = ""] = await store(service, { filename: "a.png", mimeType: "image/png" });
  await posts.save(db, { slug: "a", title: "A", content: `![](/media/${file}/a.png)`, published: true }, now());
  await projects.save(db, { slug: "a", title: "A" }, now());
  const idIn = async (table: string) => (await look<{ id: string }>(db, `select id from ${table}`))[0]?.id ?? "";
  const origin = new URL((await service.storage.nodes.find("embedded"))?.publicEndpoint ?? "").origin;
  const { get, submit } = await signIn();
  const named: string[] = [];
  for (const { method, path } of await app.routes()) {
    if (method !== "GET") continue;
    const id = await idIn(/^\/dashboard\/(posts|projects)/.exec(path)?.[1] ?? "uploads");
    const policy =
      (await get(path.replace(":id", id).replace(/:\w+/, "a"))).headers.get("content-security-policy") ?? "";
    if (policy.includes(origin)) named.push(path.replace(/(.)\/$/, "$1"));
    const sources = policy.split(/[; ]+/).filter((word) => /[:*]/.test(word));
    expect([path, sources.filter((source) => source !== origin && source !== "data:")]).toEqual([path, []]);
  }
  expect(named.sort()).toEqual(withNodes);
  const preview = await submit("/dashboard/posts/preview", { content: `![](/media/${file}/a.png)` });
  expect(preview.headers.get("content-security-policy")).toContain(origin);
});
