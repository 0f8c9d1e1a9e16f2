import { clientAddress } from "../security/client";
import type { Network } from "../security/networks";

/** Who is at the other end of a request's connection: an address, or the server that knows it. */
export type Peers = string | { requestIP(request: Request): { address: string } | null };

export const peerOf = (request: Request, peers: Peers = "127.0.0.1"): string =>
  typeof peers === "string" ? peers : (peers.requestIP(request)?.address ?? "127.0.0.1");

/** Path and query as they were written. */
function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start < 0 ? "/" : url.slice(start);
}

export function pathOf(url: string): string {
  const target = targetOf(url);
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}

/** What the service knows about one request besides the request itself. Made by the pipeline, for everybody behind it. */
export class RequestContext {
  readonly id = crypto.randomUUID();
  readonly startedAt = performance.now();
  /** Headers that the response is to carry, whatever it turns out to be. */
  readonly headers: Record<string, string> = {};
  /** Writes that must be on disk before the response leaves. */
  readonly pending: Promise<unknown>[] = [];
  /** The body was JSON of too many levels; the routes see one that is no JSON at all. */
  isTooDeep = false;
  /** The API key that was let in. */
  apiKeyId: string | undefined;

  constructor(
    readonly request: Request,
    /** HEAD: looks like a GET to the routes, must not change anything (D9). */
    readonly isHead: boolean,
    readonly pathname: string,
    private readonly peer: string,
    private readonly trusted: readonly Network[],
  ) {}

  /** Adds a write to `pending`. Should it fail early, the pipeline hears of it later, and the process not at all. */
  awaitBeforeResponse(write: Promise<unknown>): void {
    write.catch(() => undefined);
    this.pending.push(write);
  }

  /** The method as it was sent: to the routes HEAD looks like GET. */
  get method(): string {
    return this.isHead ? "HEAD" : this.request.method;
  }

  /** The visitor's own address, as far as the trusted proxies vouch for it (D30). */
  get address(): string {
    return clientAddress(this.peer, this.request.headers.get("x-forwarded-for"), this.trusted);
  }

  /** Somebody is only looking: HEAD, or a browser or mail program fetching ahead (D15). Nothing may change. */
  get isPassive(): boolean {
    const { headers } = this.request;
    const purpose = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => headers.get(name)).join(" ");
    return this.isHead || /prefetch|preview|prerender/i.test(purpose);
  }
}

const contexts = new WeakMap<Request, RequestContext>();

export const remember = (context: RequestContext) => contexts.set(context.request, context);

export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error("This request did not come through the pipeline");
  return context;
}
