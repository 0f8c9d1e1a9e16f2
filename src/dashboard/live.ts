import type { LiveTopic } from "../../db/live";
import { paths } from "../../views/paths";
import { hubOf } from "../http/live-hub";
import { asksForEvents, contextOf, eventStream } from "../platform/request-context";
import { managerFor } from "../security/session";
import type { Deps } from "./deps";
import { pages, topicsFor } from "./pages";
import { forEveryone } from "./permissions";

/**
 * Tells open pages what has changed, as server-sent events: only which topics their role
 * includes, because each page asks for its part again as its manager may see it. Nothing depends on it: without it, pages ask every few seconds.
 */
export const liveDashboard = (deps: Deps) =>
  pages(paths.live, deps, forEveryone).get("/", ({ request, query }) => follow(deps, request, query.since));

const headers = { "content-type": eventStream, "cache-control": "no-store", "x-accel-buffering": "no" };

async function follow(deps: Deps, request: Request, since: unknown): Promise<Response> {
  if (!asksForEvents(request))
    return new Response("This is for pages of the dashboard.", {
      status: 406,
      headers: { "content-type": "text/plain" },
    });
  if (contextOf(request).isHead) return new Response(null, { headers });
  const before = request.headers.get("last-event-id") ?? (typeof since === "string" ? since : undefined);
  const { manager, session } = managerFor(request);
  const { readable, stream, closed } = streamFor(session.hash, topicsFor(deps, manager.role));
  const leave = await hubOf(deps.db).add(deps, stream, before?.slice(0, 200));
  if (!leave) return new Response(null, { status: 204 }); // a browser does not ask again
  void closed.then(leave);
  return new Response(readable, { headers });
}

const encoder = new TextEncoder();

/** A stream of events. Who does not read them, and is behind by more than a few, is cut off. */
function streamFor(sessionHash: string, topics: ReadonlySet<LiveTopic>) {
  const closing = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = () => {
    closing.resolve();
    try {
      controller?.close();
    } catch {} // the browser has closed it
  };
  const readable = new ReadableStream<Uint8Array>(
    { start: (opened) => void (controller = opened), cancel: () => closing.resolve() },
    { highWaterMark: maxUnread },
  );
  const write = (text: string) => {
    if ((controller?.desiredSize ?? 0) <= 0) return end();
    controller?.enqueue(encoder.encode(text));
  };
  return { readable, closed: closing.promise, stream: { sessionHash, topics, write, end } };
}

const maxUnread = 64; // events
