import { atMost } from "../../db/async/turns";
import { compressed } from "./compression";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { loggedPath, type Recorder } from "./access-log";
import { hasBody, maxBodyBytes, mayBeLarge, withWholeBody } from "./request-body";
import { corsHeaders, securityHeaders } from "../security/headers";
import { isApi, pathOf, peerOf, type Peers, remember, RequestContext } from "../platform/request-context";
import { type Failure, methodsOf, type Routed, unrouted, unroutedResponse } from "./unrouted";

/** Some of the routes, as the pipeline calls them. */
export type Area = Routed & { handle(request: Request): Promise<Response> };
type AreaOf = (pathname: string) => Area | Promise<Area>;
/** Whether a manager sent the request, or a program with a key for its path: strangers may not send large bodies. */
type MayUpload = (context: RequestContext) => Promise<boolean>;
type Options = {
  config: Config;
  log: Log;
  record: Recorder;
  failure: Failure;
  mayUpload: MayUpload;
  /** Resolves once everything that other processes have committed is known. Absent if it always is. */
  fresh?: (() => Promise<void>) | undefined;
  /** Responds immediately to requests that need no further steps, including headers, log and metrics. */
  tryPrepared: (request: Request, peers?: Peers) => Response | undefined | Promise<Response | undefined>;
};

/** What is logged about a request. */
type Answered = Pick<RequestContext, "id" | "method" | "pathname" | "startedAt" | "headers"> &
  Partial<Pick<RequestContext, "visitor" | "address">>;

/** Routes that accept larger bodies, from managers and keys only. */
const largeBodyRoutes: [path: RegExp, maxBytes: number, maxItems?: number][] = [
  [/^\/dashboard\/newsletter\/import$/, 32 * 1024 * 1024], // CSV files
  [/^\/dashboard\/posts\/import$/, 16 * 1024 * 1024], // files of posts, or an archive of them
  [/^\/dashboard\/(?:posts|broadcasts)\//, 4 * 1024 * 1024], // a post of a million characters, an email of 200,000
  [/^\/api\/v1\/subscribers\/batch$/, 1024 * 1024, 50_000], // a thousand people
  [/^\/dashboard\/settings\/welcome(?:\/|$)/, 256 * 1024], // 10,000 characters, each of up to twelve in a form
];
/**
 * Large bodies that are worked on at the same time, that wait as well, and for how long at most: parsing one takes many
 * times its bytes.
 */
export const maxLargeBodies = { working: 4, waiting: 16, waitMs: 10_000 };
const maxConcurrentRequests = 224; // some 80 ms of work; further clients are asked to retry
/** They show nothing that is cached, and respond even if the database does not. */
const monitoring = ["/healthz", "/readyz", "/metrics"];
/** Never rejected under overload: monitoring, and people who want to unsubscribe (spec 4.2 knows no 503). */
const exemptFromOverload = new Set([
  ...monitoring,
  "/api/newsletter/unsubscribe",
  "/api/newsletter/leave",
  "/newsletter/preferences",
  "/api/newsletter/confirm",
  "/api/newsletter/confirm-again",
]);

/**
 * The one way in: every request passes here before the routes see it, and every response on its way out. So size
 * limits, HEAD, 405, headers, CORS, overload, the log and the metrics are each decided in one place.
 */
export function pipeline(areaOf: AreaOf, options: Options) {
  const running = new Pipeline(areaOf, options);
  return (request: Request, peers?: Peers): Response | Promise<Response> => running.handle(request, peers);
}

/** Too many large bodies are being worked on. */
class Busy extends Error {}

class Pipeline {
  private largeBodies = 0;
  private readonly inTurn = atMost(maxLargeBodies.working, maxLargeBodies.waitMs, () => new Busy());
  private concurrentRequests = 0;
  private readonly defaultHeaders: [name: string, value: string][];

  constructor(
    private readonly areaOf: AreaOf,
    private readonly options: Options,
  ) {
    this.defaultHeaders = Object.entries(securityHeaders(options.config));
  }

  handle(request: Request, peers?: Peers): Response | Promise<Response> {
    if (this.isOverloadedFor(request)) return this.refuseOverloaded(request);
    const { fresh } = this.options;
    const answer = () => this.answer(request, peers);
    if (!fresh || monitoring.includes(pathOf(request.url))) return answer();
    return fresh().then(answer, answer); // if it fails, nothing cached is used, and the database is queried
  }

  private answer(request: Request, peers?: Peers): Response | Promise<Response> {
    const prepared = this.options.tryPrepared(request, peers);
    const respond = () => this.respond(request, peerOf(request, peers));
    return prepared instanceof Promise ? prepared.then((response) => response ?? respond()) : (prepared ?? respond());
  }

  private isOverloadedFor({ url }: Request): boolean {
    return this.concurrentRequests >= maxConcurrentRequests && !exemptFromOverload.has(pathOf(url));
  }

  /**
   * Responds without reading the request, as cheaply as possible: this work is taken from the requests that are served.
   */
  private async refuseOverloaded(request: Request): Promise<Response> {
    const { method, url } = request;
    const [id, pathname, startedAt] = [crypto.randomUUID(), pathOf(url), performance.now()];
    const message = "The service is busy. Try again in a second.";
    const response = await this.options.failure(request, pathname, 503, "OVERLOADED", message);
    return this.finish(request, response, { id, method, pathname, startedAt, headers: { "retry-after": "1" } });
  }

  private async respond(arrived: Request, peer: string): Promise<Response> {
    const incoming = withRoutableHost(arrived);
    const largeBody = hasBody(incoming) && largeBodyRoutes.find(([path]) => path.test(pathOf(incoming.url)));
    if (!largeBody || !mayBeLarge(incoming) || !(await this.mayUpload(incoming, peer)))
      return this.respondWithin([maxBodyBytes], incoming, peer);
    const [, ...limits] = largeBody;
    if (this.largeBodies >= maxLargeBodies.working + maxLargeBodies.waiting) return this.refuseOverloaded(incoming);
    this.largeBodies++;
    try {
      return await this.inTurn(() => this.respondWithin(limits, incoming, peer));
    } catch (error) {
      if (error instanceof Busy) return this.refuseOverloaded(incoming);
      throw error;
    } finally {
      this.largeBodies--;
    }
  }

  private mayUpload(incoming: Request, peer: string): Promise<boolean> {
    const { config, mayUpload } = this.options;
    const context = new RequestContext(incoming, false, pathOf(incoming.url), peer, config.TRUSTED_PROXIES);
    return mayUpload(context).catch(() => false);
  }

  /** Responds to a request whose body has at most so many bytes, and values. */
  private async respondWithin(
    limits: [bytes: number, items?: number],
    incoming: Request,
    peer: string,
  ): Promise<Response> {
    const { config, log, failure } = this.options;
    const pathname = pathOf(incoming.url);
    const isHead = incoming.method === "HEAD";

    // Reads the whole body first, so that a client that sends it byte by byte occupies no place
    const whole = hasBody(incoming)
      ? await withWholeBody(incoming, ...limits)
      : { request: incoming, isTooDeep: false };
    const refusal = "refusal" in whole ? whole.refusal : undefined;
    if (this.isOverloadedFor(incoming)) return this.refuseOverloaded(incoming);
    const whatCame = "refusal" in whole ? incoming : whole.request;
    const request = isHead ? new Request(incoming, { method: "GET" }) : whatCame;
    const context = new RequestContext(request, isHead, pathname, peer, config.TRUSTED_PROXIES);
    context.isTooDeep = "isTooDeep" in whole && whole.isTooDeep;
    remember(context);

    let response: Response;
    this.concurrentRequests++;
    try {
      if (refusal) {
        response = await failure(incoming, pathname, 413, "PAYLOAD_TOO_LARGE", refusal);
      } else {
        const area = await this.areaOf(pathname);
        response = await area.handle(request);
        if (response.headers.has(unrouted))
          response = await unroutedResponse(context, methodsOf(area, pathname), failure);
        if (context.pending.length) await Promise.all(context.pending);
        response = await compressed(incoming, response);
      }
    } catch (error) {
      log.error("failed", { id: context.id, method: incoming.method, path: loggedPath(pathname), ...described(error) });
      const message = "Something went wrong. The request may be retried.";
      response = await failure(incoming, pathname, 500, "INTERNAL_ERROR", message);
    } finally {
      this.concurrentRequests--;
    }
    return this.finish(incoming, response, context);
  }

  /** Adds the headers that every response has, and records it in the log and the metrics. */
  private finish(request: Request, response: Response, context: Answered): Response | Promise<Response> {
    const { headers } = response;
    const { config, record } = this.options;
    for (const [name, value] of this.defaultHeaders) if (!headers.has(name)) headers.set(name, value);
    for (const name in context.headers) headers.set(name, context.headers[name] ?? "");
    if (response.status === 500 && this.options.fresh && !headers.has("retry-after")) headers.set("retry-after", "1"); // another process, or this one in a second
    if (isApi(context.pathname))
      setAll(headers, corsHeaders(context.pathname, request.headers.get("origin"), config.CORS_ORIGINS));
    headers.set("x-request-id", context.id);

    record(context, response.status);
    return request.method === "HEAD" ? withoutBody(response) : response;
  }
}

/**
 * Returns the request under a host name that the routes can handle. Elysia looks for the path after the 11th character
 * of the URL, so http://nas/ would give a different one. Clients may also use any host name, or none in HTTP/1.0 (D2).
 */
function withRoutableHost(request: Request): Request {
  const { url } = request;
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  return start >= 11 && URL.canParse(url) ? request : new Request(`http://localhost${url.slice(start)}`, request);
}

function setAll(headers: Headers, values: Record<string, string>) {
  for (const name in values) headers.set(name, values[name] ?? "");
}

/**
 * Returns the response to HEAD: the headers of GET, with the length of its body if that is known (RFC 9110, section
 * 9.3.2).
 */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const length = await lengthOf(response.body);
  if (length !== undefined && status !== 204 && status !== 304) headers.set("content-length", String(length));
  return new Response(null, { status, headers });
}

const maxMeasuredBytes = 2 ** 20;

/** Returns undefined above a megabyte, because the whole of an export would have to be generated to know its length. */
async function lengthOf(body: Response["body"]): Promise<number | undefined> {
  const reader = body?.getReader();
  let length = 0;
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    length += chunk.value.byteLength;
    if (length > maxMeasuredBytes) break;
  }
  await reader?.cancel();
  return length > maxMeasuredBytes ? undefined : length;
}
