import { join } from "node:path";
import { freePort } from "../support/processes";

/**
 * A PocketBase with the same posts and an empty list of subscribers, open to everyone, so that it checks no key. It is
 * filled through its own API.
 *
 * @param binary PocketBase's example "base", version 0.23 or later
 */
export async function startPocketbase(binary: string, dataDir: string, posts: Record<string, unknown>[]) {
  const dir = `--dir=${join(dataDir, "pocketbase")}`;
  const login = { identity: "bench@example.com", password: "a-password-for-the-bench" };
  const made = Bun.spawnSync([binary, "superuser", "upsert", login.identity, login.password, dir]);
  if (!made.success) throw new Error(`PocketBase: ${made.stderr.toString()}`);
  const port = freePort();
  const child = Bun.spawn([binary, "serve", `--http=127.0.0.1:${port}`, dir], { stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}/api/collections`;
  while (!(await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined))?.ok) await Bun.sleep(20);

  const send = async (path: string, body: unknown, authorization = "") => {
    const headers = { "content-type": "application/json", authorization };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`PocketBase: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { token: string };
  };
  const { token } = await send("/_superusers/auth-with-password", login);
  for (const collection of collections) await send("", collection, token);
  for (const post of posts) await send("/posts/records", post, token);

  const fields = Object.keys(posts[0] ?? {}).filter((name) => name !== "content");
  return {
    port,
    pid: child.pid,
    /** 20 of the posts, the newest first, without their content. */
    list: {
      method: "GET",
      path: `/api/collections/posts/records?perPage=20&sort=-publishedAt&fields=id,${fields}`,
    },
    /** A new person subscribes. */
    subscription: () => ({
      method: "POST",
      path: "/api/collections/subscribers/records",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com` }),
    }),
    async end() {
      child.kill();
      await child.exited;
    },
  };
}

const text = (name: string) => ({ name, type: "text" });
const open = { type: "base", listRule: "", createRule: "" };
const collections = [
  {
    ...open,
    name: "posts",
    fields: [
      ...["slug", "title", "excerpt", "author"].map(text),
      { ...text("content"), max: 1_000_000 },
      { name: "publishedAt", type: "date" },
      { name: "readingTime", type: "number" },
      { name: "tags", type: "json" },
    ],
    indexes: ["CREATE UNIQUE INDEX posts_slug ON posts (slug)", "CREATE INDEX posts_published ON posts (publishedAt)"],
  },
  {
    ...open,
    name: "subscribers",
    fields: [{ name: "email", type: "email", required: true }],
    indexes: ["CREATE UNIQUE INDEX subscribers_email ON subscribers (email)"],
  },
];
