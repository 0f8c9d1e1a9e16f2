/** A service in a process of its own. It tells its port and its GET routes, and its processor time when asked. */
import * as posts from "../../../db/posts/posts";
import { listen } from "../../../src/http/listen";
import { createLog } from "../../../src/platform/log";
import { testService } from "../../support/service";

export type Started = { port: number; paths: string[] };

const { app, db, now, signIn } = await testService();
await signIn(); // without a manager, the sign-in page is another one
for (const slug of ["letters", "harbour"])
  await posts.save(db, { slug, title: slug, content: "Words. ".repeat(50), published: true, tags: ["a"] }, now());
const { port = 0 } = listen({ HOST: "127.0.0.1", PORT: 0 }, createLog("silent"), (request, server) =>
  app.handle(request, server),
);
const filled: Record<string, string> = { slug: "letters", page: "1.xml", id: crypto.randomUUID() };
/** What is not there, and links with an invented token, cost as little. */
const invented = [
  ...["/nothing", "/api/nothing", "/api/posts/nothing", "/newsletter?page=9", "/media/x/x"],
  ...["unsubscribe", "leave", "subscribe-again", "confirm"].map(
    (link) => `/api/newsletter/${link}?email=ada%40example.com&token=${"x".repeat(43)}`,
  ),
];
const paths = (await app.routes())
  .filter(({ method }) => method === "GET")
  .map(({ path }) => path.replace(/:(\w+)/g, (_, name: string) => filled[name] ?? "x").replace("*", "x"));
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.send?.({ port, paths: [...new Set([...paths, ...invented])] } satisfies Started);
