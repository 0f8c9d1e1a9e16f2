import * as posts from "../../../db/posts/posts";
import * as projects from "../../../db/projects/projects";
import { scopesOfBefore } from "../../../db/schema/scopes";
import { clientOn } from "../../../src/client/client";
import type { ClientOptions, Platform } from "../../../src/client/request";
import { sleep } from "../../../src/client/request";
import { confirmedBroadcast } from "../broadcasts/archive";
import { look } from "../look";
import { testService } from "../service";

/** How long the client wanted to wait. It does not wait. */
export function testPlatform(more: Partial<Platform> = {}) {
  const waits: number[] = [];
  const platform: Platform = {
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
    },
    random: () => 0.5,
    stallMs: 60_000,
    maxPutBytes: 64 * 2 ** 20,
    ...more,
  };
  return { platform, waits };
}

/** The platform of everyone, with parts above so many bytes. */
export const realPlatform = (maxPutBytes: number): Platform => ({
  sleep,
  random: Math.random,
  stallMs: 60_000,
  maxPutBytes,
});

type Options = Partial<ClientOptions> & {
  platform?: Partial<Platform>;
  /** Of the service. */
  env?: Record<string, string>;
  /** Bytes of a part. */
  part?: number;
  /** Answers in the service’s place, or lets it answer. */
  intercept?: (request: Request) => Response | undefined | Promise<Response | undefined>;
};

/** A service on a socket, whose clock goes on by a second with each request, and a client of it. */
export async function connected({ platform: more, env, part, intercept, ...options }: Options = {}) {
  const service = await testService(env, ":memory:", part ? { part } : {});
  const requests: { method: string; path: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      requests.push({ method: request.method, path: pathname + search, headers: request.headers });
      service.clock.time += 1_000;
      return (await intercept?.(request)) ?? service.app.handle(request, "127.0.0.1");
    },
  });
  const { "x-api-key": key } = await service.key("Site", [...scopesOfBefore, "newsletter:write"]);
  const { platform, waits } = testPlatform(more);
  const own = { baseUrl: server.url.origin, key, ...options };
  const client = clientOn(own, platform);
  const close = () => server.stop(true);
  const paths = () => requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  return {
    service,
    client,
    key,
    url: server.url.origin,
    waits,
    requests,
    paths,
    platform,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Something of everything that can be read: five posts, one with a former slug, three projects and broadcasts. */
export async function fillSite({ db, now }: Awaited<ReturnType<typeof testService>>): Promise<void> {
  for (const i of [1, 2, 3, 4, 5]) {
    const publishedAt = new Date(now().getTime() - i * 60_000);
    await posts.save(
      db,
      { slug: `post-${i}`, title: `Post ${i}`, content: "Text", tags: ["Notes"], published: true, publishedAt },
      now(),
    );
  }
  await look(
    db,
    "insert into post_slugs (slug, post_id, created_at) select 'old', id, 0 from posts where slug = 'post-1'",
  );
  for (const i of [1, 2, 3])
    await projects.save(
      db,
      {
        slug: `project-${i}`,
        title: `Project ${i}`,
        status: "PUBLISHED",
        featured: i === 1,
        liveUrl: "https://a.example",
      },
      now(),
    );
  for (const subject of ["Rain", "Wind", "Snow"]) await confirmedBroadcast(db, now(), { subject });
}
