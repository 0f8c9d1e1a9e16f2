import type { UploadLimits } from "../../db/schema/access";
import { clientAddress } from "./client-address";
import type { Network } from "./networks";

/** The other end of the connection: an address, or the server that knows it. */
export type Peers = string | { requestIP(request: Request): { address: string } | null };

export const peerOf = (request: Request, peers: Peers = "127.0.0.1"): string =>
  typeof peers === "string" ? peers : (peers.requestIP(request)?.address ?? "127.0.0.1");

/** Path and query as they were sent. */
function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start < 0 ? "/" : url.slice(start);
}

/** Whether responses at this path have an envelope (D6). */
export const isApi = (pathname: string): boolean => pathname === "/api" || pathname.startsWith("/api/");

export function pathOf(url: string): string {
  const target = targetOf(url);
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}

/** A visitor as a site named them. `hash` is the keyed one of the rate limits. */
export type Visitor = { address: string; agent: string; referrer: string | null; hash: string; apiKeyId: string };

/** What is recorded of a call with an API key. */
export type RecordedCall = Pick<RequestContext, "request" | "route" | "address">;

/** What the service knows about a request besides the request itself. Created by the pipeline. */
export class RequestContext {
  readonly id = crypto.randomUUID();
  readonly startedAt = performance.now();
  /** Headers to add to the response, whatever it turns out to be. */
  readonly headers: Record<string, string> = {};
  /** Writes that must be on disk before the response is sent. */
  readonly pending: Promise<unknown>[] = [];
  /** The body was JSON nested too deeply; the routes get invalid JSON instead. */
  isTooDeep = false;
  /** The route as it was declared: "GET /api/v1/posts/:slug". Empty until it is known. */
  route = "";
  /** On whose behalf a site calls, if its key may name visitors. */
  visitor: Visitor | undefined;
  /** The API key that was accepted. */
  apiKeyId: string | undefined;
  /** What that key may upload. */
  uploadLimits: UploadLimits | null = null;

  constructor(
    readonly request: Request,
    /** HEAD: the routes see a GET, but it must not change anything (D9). */
    readonly isHead: boolean,
    readonly pathname: string,
    private readonly peer: string,
    private readonly trusted: readonly Network[],
  ) {}

  /** Adds a write to `pending`. If it fails early, the pipeline still notices, but the process does not crash. */
  awaitBeforeResponse(write: Promise<unknown>): void {
    write.catch(() => undefined);
    this.pending.push(write);
  }

  /** The method as it was sent: to the routes, HEAD looks like GET. */
  get method(): string {
    return this.isHead ? "HEAD" : this.request.method;
  }

  /** The client's own address, as far as trusted proxies vouch for it (D30). */
  get address(): string {
    return clientAddress(this.peer, this.request.headers.get("x-forwarded-for"), this.trusted);
  }

  /** The visitor's address, for limits and visits: the one that a site named, or the client's own. */
  get visitorAddress(): string {
    return this.visitor?.address ?? this.address;
  }

  /** The visitor's browser, likewise. */
  get visitorAgent(): string {
    return this.visitor?.agent ?? this.request.headers.get("user-agent") ?? "";
  }

  /** The page that the visitor came from, likewise. Of a page that reads posts itself, that is the page. */
  get visitorReferrer(): string | null {
    return this.visitor ? this.visitor.referrer : this.request.headers.get("referer");
  }

  /** HEAD, a browser or email app prefetching (D15), or a page that refreshes itself: nothing may change. */
  get isPassive(): boolean {
    const { headers } = this.request;
    const purpose = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => headers.get(name)).join(" ");
    return asksForEvents(this.request) || this.isHead || /prefetch|preview|prerender|^\s*poll\s*$/i.test(purpose);
  }
}

/** What a page asks for that is told of changes. */
export const eventStream = "text/event-stream";
export const asksForEvents = ({ headers }: Request): boolean => headers.get("accept") === eventStream;

const contexts = new WeakMap<Request, RequestContext>();

export const remember = (context: RequestContext) => contexts.set(context.request, context);

export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error("This request did not come through the pipeline");
  return context;
}
