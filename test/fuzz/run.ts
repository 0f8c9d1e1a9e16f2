import fc from "fast-check";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import type { OpenApi } from "../../src/openapi/responses";
import { unsubscribeLink } from "../../src/security/links";
import { store } from "../support/storage/stored-files";
import { nextPeer, testService } from "../support/service";
import { contract, endpointsOf } from "../support/probes/contract";
import { curl } from "./curl";
import { type Known, type Shot, shots } from "./requests";

/** Storage answers 500 and 507 when it is in trouble; the fuzzer's own storage is not, except that it gets full. */
const mayFail = new Set(["POST /api/v1/storage/upload 507", "GET /readyz 503"]);

/**
 * Sends `count` requests made from the document; the same seed sends the same ones. The first failing one is minimised
 * and printed as a curl command.
 */
export async function fuzz(count: number, seed: number) {
  const service = await testService();
  const document = (await (await service.get("/openapi.json")).json()) as OpenApi;
  const { violations } = contract(document);
  const known = await stock(service);
  const statuses = new Map<number, number>();
  const problems: string[] = [];
  const startedAt = performance.now();

  /** Returns what is wrong with the response. */
  async function fire({ endpoint, method, path, headers, body }: Shot): Promise<string[]> {
    const url = new URL(path, service.config.BASE_URL);
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await service.send(url.pathname + url.search, init, nextPeer());
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const where = `${endpoint.method} ${endpoint.path} ${response.status}`;
    const found = await violations(endpoint, response, method === "HEAD");
    return response.status >= 500 && !mayFail.has(where) ? [...found, `${where}: failed`] : found;
  }

  const all = fc.oneof(...endpointsOf(document).map((endpoint) => shots(document, endpoint, known)));
  for (let sent = 0; sent < count; sent += batch) {
    const parameters = { numRuns: Math.min(batch, count - sent), seed: seed + sent };
    const found = (await Promise.all(fc.sample(all, parameters).map(fire))).flat();
    service.clock.time += 60_000; // the limit of the key is a minute's
    if (found.length && !problems.length) problems.push(await smallest(all, parameters, fire));
    problems.push(...found);
  }
  return { problems, statuses, seconds: (performance.now() - startedAt) / 1000 };
}

/** Returns the smallest similar request that fails. */
export async function smallest(
  all: fc.Arbitrary<Shot>,
  parameters: { numRuns: number; seed: number },
  fire: (shot: Shot) => Promise<string[]>,
): Promise<string> {
  const isFine = fc.asyncProperty(all, async (shot) => (await fire(shot)).length === 0);
  const { counterexample } = await fc.check(isFine, { ...parameters, endOnFailure: false });
  return counterexample ? `smallest: ${curl(counterexample[0])}` : "smallest: it fails only beside others";
}

const batch = 200; // below the limit of requests at once

/** Fills the service: a key, posts, a project, a subscriber, a file, uploads. */
async function stock(service: Service): Promise<Known> {
  const { config, db, key, now, post } = service;
  const published = { published: true, publishedAt: now() };
  for (const slug of ["letters", "harbour"])
    await posts.save(db, { slug, title: slug, content: "İstanbul, Straße", tags: ["Post"], ...published }, now());
  await projects.save(db, { slug: "tide", title: "Tide", status: "PUBLISHED", liveUrl: "https://tide.example" }, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const link = new URL(unsubscribeLink(config, "ada@example.com")).searchParams;
  const headers = await key();
  const files = await store(service, {}, { filename: "b.html", mimeType: "text/html" });
  const uploads = [await reserve(post, headers), await reserve(post, headers), await reserve(post, headers)];
  return { key: headers["x-api-key"], slugs: ["letters", "harbour", "tide", ...files, ...uploads], link };
}

type Service = Awaited<ReturnType<typeof testService>>;

/** An upload that is open, by its id. */
async function reserve(post: Service["post"], headers: Record<string, string>): Promise<string> {
  const file = { filename: "a", mimeType: "a/b", size: 20_000_000 };
  const answer = await post("/api/v1/storage/upload", file, headers);
  const { data } = (await answer.json()) as { data: { _meta: { reservationId: string } } };
  return data._meta.reservationId;
}
