import fc from "fast-check";
import * as posts from "../../db/posts";
import * as projects from "../../db/projects";
import type { OpenApi } from "../../src/openapi/document";
import { unsubscribeLink } from "../../src/security/unsubscribe-link";
import { nextPeer, testService } from "../../src/testing";
import { contract, endpointsOf } from "../contract";
import { type Known, type Shot, shots } from "./requests";

/** Storage answers 500 and 507 when it is in trouble; the fuzzer's own storage is not, except that it gets full. */
const mayFail = new Set(["POST /api/v1/storage/upload 507", "GET /readyz 503"]);

/** Sends `count` requests made from the document. The same seed sends the same ones. */
export async function fuzz(count: number, seed: number) {
  const service = await testService();
  const document = (await (await service.get("/openapi.json")).json()) as OpenApi;
  const { violations } = contract(document);
  const known = await stock(service);
  const statuses = new Map<number, number>();
  const problems: string[] = [];
  const startedAt = performance.now();

  async function fire(shot: Shot) {
    const { endpoint, method, path, headers, body } = shot;
    const url = new URL(path, service.config.BASE_URL);
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await service.send(url.pathname + url.search, init, nextPeer());
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const where = `${endpoint.method} ${endpoint.path} ${response.status}`;
    const found = await violations(endpoint, response, method === "HEAD");
    if (response.status >= 500 && !mayFail.has(where)) found.push(`${where}: failed`);
    for (const problem of found)
      problems.push(`${problem}\n    ${JSON.stringify(shot.path)} ${body?.slice(0, 500) ?? ""}`);
  }

  const all = fc.oneof(...endpointsOf(document).map((endpoint) => shots(endpoint, known)));
  for (let sent = 0; sent < count; sent += batch) {
    const some = fc.sample(all, { numRuns: Math.min(batch, count - sent), seed: seed + sent });
    await Promise.all(some.map(fire));
    service.clock.time += 60_000; // the limit of the key is a minute's
  }
  return { problems, statuses, seconds: (performance.now() - startedAt) / 1000 };
}

const batch = 200; // below the limit of requests at once

/** Something to find: a key, posts, a project, a subscriber. */
async function stock({ config, db, key, now, post }: Awaited<ReturnType<typeof testService>>): Promise<Known> {
  const published = { published: true, publishedAt: now() };
  for (const slug of ["letters", "harbour"])
    await posts.save(db, { slug, title: slug, content: "İstanbul, Straße", tags: ["Post"], ...published }, now());
  await projects.save(db, { slug: "tide", title: "Tide", status: "PUBLISHED", liveUrl: "https://tide.example" }, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const link = new URL(unsubscribeLink(config, "ada@example.com")).searchParams;
  return { key: (await key())["x-api-key"], slugs: ["letters", "harbour", "tide"], link };
}
