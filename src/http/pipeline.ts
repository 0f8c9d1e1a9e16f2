import { compressed } from "./compression";
import type { Config } from "../config";
import { described, type Log } from "../telemetry/log";
import type { Recorder } from "./access-log";
import { hasBody, withWholeBody } from "./request-body";
import { methodsOf, type Routed } from "./route-table";
import { corsHeaders, preflightHeaders } from "../security/cors";
import { securityHeaders } from "../security/headers";
import type { ErrorCode } from "../security/refusal";
import { type Peers, pathOf, peerOf, remember, RequestContext } from "./request-context";

/** Some of the routes, behind the pipeline. */
export type Area = Routed & { handle(request: Request): Promise<Response> };
/** How a failure outside every area looks: an envelope under /api, a page elsewhere (D6). */
type Failure = (pathname: string, status: number, code: ErrorCode, message: string) => Response | Promise<Response>;
/** Whether a manager sent the request: strangers get no room for large files. */
type MayUpload = (request: Request) => Promise<boolean>;
type Options = {
  config: Config;
  log: Log;
  record: Recorder;
  failure: Failure;
  mayUpload: MayUpload;
  /** Answers at once what needs no more, headers, log and figures included. */
  tryPrepared: (request: Request) => Response | undefined;
};

/** What is known of an answered request. */
type Sent = Pick<RequestContext, "id" | "method" | "pathname" | "startedAt" | "headers">;

const bodyLimit = 64 * 1024;
/** Where managers send more. */
const rooms: [path: RegExp, bytes: number][] = [
  [/^\/dashboard\/newsletter\/import$/, 32 * 1024 * 1024], // CSV files
  [/^\/dashboard\/posts\/import$/, 16 * 1024 * 1024], // files of posts, or an archive of them
  [/^\/dashboard\/posts\//, 4 * 1024 * 1024], // a post of a million characters
];
const mostAtOnce = 224; // requests in work, some 80 ms of them; more are told to come back
/** Never turned away: what watches us, and whoever wants to leave (spec 4.2 knows no 503). */
const alwaysIn = new Set(["/healthz", "/readyz", "/metrics", "/api/newsletter/unsubscribe"]);

/**
 * The one way in. Every request passes here before the routes see it and every answer on its way out, so size, HEAD,
 * 405, headers, CORS, overload, the log and the figures are decided once.
 */
export function pipeline(
  areaOf: (pathname: string) => Area | Promise<Area>,
  { config, log, record, failure, mayUpload, tryPrepared }: Options,
) {
  const standing = Object.entries(securityHeaders(config));
  const mustWait = ({ url }: Request) => inWork >= mostAtOnce && !alwaysIn.has(pathOf(url));
  let inWork = 0;

  return (arrived: Request, peers?: Peers): Response | Promise<Response> => {
    if (mustWait(arrived)) return turnAway(arrived);
    return tryPrepared(arrived) ?? answer(arrived, peerOf(arrived, peers));
  };

  /** Told to come back, unread and with the least work: what it costs is missing for those who are served. */
  async function turnAway(request: Request): Promise<Response> {
    const { method, url } = request;
    const [id, pathname, startedAt] = [crypto.randomUUID(), pathOf(url), performance.now()];
    const response = await failure(pathname, 503, "OVERLOADED", "The service is busy. Try again in a second.");
    return sent(request, response, { id, method, pathname, startedAt, headers: { "retry-after": "1" } });
  }

  async function answer(arrived: Request, peer: string): Promise<Response> {
    const incoming = withRoomyHost(arrived);
    const pathname = pathOf(incoming.url);
    const isHead = incoming.method === "HEAD";
    const refuse = (status: number, code: ErrorCode, message: string) => failure(pathname, status, code, message);

    // The whole body first: who sends it byte by byte takes nobody's place
    const room = rooms.find(([path]) => path.test(pathname))?.[1];
    const limit = room && (await mayUpload(incoming).catch(() => false)) ? room : bodyLimit;
    const whole = hasBody(incoming) ? await withWholeBody(incoming, limit) : { request: incoming, isTooDeep: false };
    if (mustWait(incoming)) return turnAway(incoming);
    const request = isHead ? new Request(incoming, { method: "GET" }) : (whole?.request ?? incoming);
    const context = new RequestContext(request, isHead, pathname, peer, config.TRUSTED_PROXIES);
    context.isTooDeep = whole?.isTooDeep ?? false;
    remember(context);

    let response: Response;
    inWork++;
    try {
      if (!whole) response = await refuse(413, "PAYLOAD_TOO_LARGE", `The body is larger than ${limit / 1024} KiB.`);
      else {
        const area = await areaOf(pathname);
        response = await area.handle(request);
        if (response.headers.has(unrouted)) response = await elsewhere(context, methodsOf(area, pathname), refuse);
        if (context.pending.length) await Promise.all(context.pending);
        response = await compressed(incoming, response);
      }
    } catch (error) {
      log.error("failed", { id: context.id, method: incoming.method, path: pathname, ...described(error) });
      response = await refuse(500, "INTERNAL_ERROR", "Something went wrong. The request may be retried.");
    } finally {
      inWork--;
    }
    return sent(incoming, response, context);
  }

  /** The answer with the headers that every one has, counted and told to the log. */
  function sent({ method, headers: asked }: Request, response: Response, context: Sent): Response | Promise<Response> {
    const { headers } = response;
    for (const [name, value] of standing) if (!headers.has(name)) headers.set(name, value);
    for (const name in context.headers) headers.set(name, context.headers[name] ?? "");
    if (context.pathname.startsWith("/api/"))
      setAll(headers, corsHeaders(context.pathname, asked.get("origin"), config.CORS_ORIGINS));
    headers.set("x-request-id", context.id);

    record(context, response.status);
    return method === "HEAD" ? withoutBody(response) : response;
  }
}

/**
 * The request under a name the routes can work with. Elysia looks for the path after the 11th character of the URL: on
 * http://nas/ it would find another one. And clients may call us anything, or nothing in HTTP/1.0 (D2).
 */
function withRoomyHost(request: Request): Request {
  const { url } = request;
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  return start >= 11 && URL.canParse(url) ? request : new Request(`http://localhost${url.slice(start)}`, request);
}

/** The answer to HEAD: the headers of GET, with the length of its body where that is known (RFC 9110 section 9.3.2). */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const length = await lengthOf(response.body);
  if (length !== undefined && status !== 204 && status !== 304) headers.set("content-length", String(length));
  return new Response(null, { status, headers });
}

const maxMeasuredBytes = 2 ** 20;

/** Undefined beyond a megabyte: for the length of an export all of it would be made, so HEAD does without (P66). */
async function lengthOf(body: Response["body"]): Promise<number | undefined> {
  const reader = body?.getReader();
  let length = 0;
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    length += piece.value.byteLength;
    if (length > maxMeasuredBytes) break;
  }
  await reader?.cancel();
  return length > maxMeasuredBytes ? undefined : length;
}

/** The app's answer to a path and method it does not know; the pipeline puts the right refusal in its place. */
export const notRouted = () => new Response(null, { status: 404, headers: { [unrouted]: "1" } });
const unrouted = "x-unrouted";

/** No route for this path and method, or none that knows the name in it: an OPTIONS, the wrong method, nothing here. */
function elsewhere(
  context: RequestContext,
  methods: string[],
  refuse: (status: number, code: ErrorCode, message: string) => Response | Promise<Response>,
) {
  const { method, headers } = context.request;
  const asks = method === "OPTIONS";
  if (!methods.length || (!asks && methods.includes(method)))
    return refuse(404, "NOT_FOUND", "There is nothing at this address.");
  context.headers.allow = methods.join(", ");
  if (!asks) return refuse(405, "METHOD_NOT_ALLOWED", `This address answers ${methods.join(", ")}.`);
  const isPreflight = headers.has("access-control-request-method");
  return new Response(null, { status: 204, headers: isPreflight ? preflightHeaders(context.pathname, methods) : {} });
}

function setAll(headers: Headers, values: Record<string, string>) {
  for (const name in values) headers.set(name, values[name] ?? "");
}
