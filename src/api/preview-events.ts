import type { Db } from "../../db/engine/open";
import { current } from "../../db/engine/versions";
import * as posts from "../../db/posts/posts";
import { content, limited, parameter } from "../openapi/responses";
import type { Config } from "../platform/config";
import { contextOf } from "../platform/request-context";
import { onBehalfOfVisitors } from "../security/visitors";
import { previewOf } from "../security/links";
import { api, fail } from "./envelope";
import type { Deps } from "./deps";

/*
 * A page that shows a preview listens here, and asks for the post again when a draft has been saved. The events never
 * have the text: one route decides who may read it.
 */

const lookEveryMs = 500;
const commentEveryMs = 4_000; // Bun ends connections that are silent for ten seconds
const longestMs = 30 * 60_000; // then the page connects again
const maxStreams = { perToken: 20, all: 200 };

/** Open streams of this process, by token. */
const open = new Map<string, Set<() => void>>();
const countOpen = () => [...open.values()].reduce((sum, { size }) => sum + size, 0);

/** Ends all streams, so that the process can stop. */
export function endPreviewStreams(): void {
  for (const ends of [...open.values()]) for (const end of [...ends]) end();
}

type Watched = { slug: string; token: string; known: number | undefined };
type Needs = { config: Config; db: Db; now: () => Date };

/** Returns the version that the token shows; undefined once it shows nothing. */
async function versionOf({ config, db, now }: Needs, { slug, token }: Watched): Promise<number | undefined> {
  const preview = previewOf(config, token, now());
  return preview && posts.previewedVersion(db, preview, slug);
}

const event = (version: number) => `event: post\nid: ${version}\ndata: {"version":${version}}\n\n`;
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
  "x-accel-buffering": "no", // nginx would keep the events
  "access-control-allow-origin": "*", // the token is the secret: EventSource sends no header
  "cross-origin-resource-policy": "cross-origin",
};

/** Events until the token expires, the reader leaves or half an hour has passed. */
function stream(needs: Needs, watched: Watched, version: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => {};
  return new ReadableStream({
    start(controller) {
      const timers: ReturnType<typeof setInterval>[] = [];
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      end = enlist(watched.token, () => {
        timers.forEach(clearInterval);
        try {
          controller.close();
        } catch {} // the reader has left
      });
      send(`retry: 1000\n\n${watched.known === version ? "" : event(version)}`);
      const look = watch(needs, watched, version, (next) => {
        send(next === undefined ? "event: expired\ndata: {}\n\n" : event(next));
        if (next === undefined) end();
      });
      timers.push(
        setInterval(look, lookEveryMs),
        setInterval(() => send(": \n\n"), commentEveryMs),
      );
      timers.push(setTimeout(end, longestMs));
    },
    cancel: () => end(),
  });
}

/** Records an open stream. Returns what ends it, once. */
function enlist(token: string, close: () => void): () => void {
  const ends = open.get(token) ?? new Set();
  open.set(token, ends);
  const end = () => {
    if (!ends.delete(end)) return;
    if (!ends.size) open.delete(token);
    close();
  };
  ends.add(end);
  return end;
}

/** Returns what looks whether the version has changed; a post is read only when some post has changed, or it expires. */
function watch(needs: Needs, watched: Watched, version: number, tell: (next: number | undefined) => void) {
  let [seen, topic, isLooking] = [version, current(needs.db, "posts").version, false];
  return async () => {
    if (needs.db.isShared && !isLooking) await needs.db.fresh().catch(() => undefined); // another process may have saved it
    const isValid = previewOf(needs.config, watched.token, needs.now()) !== undefined;
    const now = current(needs.db, "posts").version;
    if (isLooking || (isValid && now === topic)) return;
    isLooking = true;
    const next = await versionOf(needs, watched).catch(() => seen); // a database that fails for a moment changes nothing
    [topic, isLooking] = [now, false];
    if (next !== seen) tell(next);
    seen = next ?? seen;
  };
}

const last = (request: Request) => {
  const id = request.headers.get("last-event-id");
  return id && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
};

/** Server-sent events about a draft that is being previewed. */
export const previewEvents = (deps: Deps) =>
  api("/api/posts", deps.log, onBehalfOfVisitors(deps, "view")).get(
    "/:slug/preview-events",
    async ({ params: { slug }, query, request }) => {
      const token = typeof query.preview === "string" ? query.preview : "";
      const watched = { slug, token, known: last(request) };
      const version = await versionOf(deps, watched);
      if (version === undefined) return fail(404, "NOT_FOUND", "Preview not found.");
      const listens = request.headers.get("accept")?.includes("text/event-stream") && !contextOf(request).isHead;
      if (!listens) return new Response(event(version), { headers });
      if ((open.get(token)?.size ?? 0) >= maxStreams.perToken || countOpen() >= maxStreams.all)
        return fail(503, "OVERLOADED", "Too many pages are listening. Try again later.");
      return new Response(stream(deps, watched, version), { headers });
    },
    {
      detail: {
        parameters: [
          parameter("query", "preview", "Token of a preview link.", { required: true, maxLength: 500 }),
          parameter("header", "Last-Event-ID", "The last version that the page has seen.", { maxLength: 15 }),
        ],
        operationId: "watchPreview",
        summary: "Follow a preview",
        description:
          "Server-sent events: `post` with the version when a draft is saved, and `expired` when the link no longer works. The text is read with the same token from the post. Without `Accept: text/event-stream` the response is the current version alone. A token may have 20 streams, each for half an hour.",
        responses: {
          200: content("The events.", "text/event-stream", { type: "string" }),
          ...limited,
        },
      },
    },
  );
