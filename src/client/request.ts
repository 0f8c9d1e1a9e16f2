import { routes } from "./routes";
import type { components, operations } from "./schema";

type Schemas = components["schemas"];

export interface ClientOptions {
  /** BASE_URL of the service, such as "https://example.com". */
  baseUrl: string | URL;
  /** BLOG_URL, if posts are read there. Default: baseUrl. */
  blogUrl?: string | URL;
  /** The API key. Without it, calls that need one do not exist in the type. Throws in a page, unless `inBrowser: true`. */
  key?: string;
  inBrowser?: true;
  /** Whose visit this is, for keys that may name visitors. Usually given with `client.for(visitor)`. */
  visitor?: Visitor;
  /** Attempts after the first one. Default 2; 0 turns retries off. */
  retries?: number;
  /** For one attempt, in ms. Default 10,000. Uploads have none, but end after 60 s without progress. */
  timeout?: number;
  /** Responses with an ETag that are kept for conditional requests. Default 100, in pages 0, which turns it off. */
  cache?: number | Cache;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  headers?: Record<string, string>;
  onRequest?(event: { method: string; url: string; attempt: number }): void;
  onResponse?(event: ResponseEvent): void;
}
export interface ResponseEvent {
  method: string;
  url: string;
  attempt: number;
  status: number;
  ms: number;
  fromCache: boolean;
  /** What the service says about a parameter that it does not read. */
  hint?: string;
}
export interface Visitor {
  address: string;
  agent?: string | null;
  /** The request’s Referer: views are counted by its host. */
  referrer?: string | null;
  /** The request’s Sec-Purpose: what is only prefetched counts no view. */
  purpose?: string | null;
}
export interface Cache {
  get(key: string): Entry | undefined | Promise<Entry | undefined>;
  set(key: string, entry: Entry): void | Promise<void>;
}
export interface Entry {
  etag: string;
  body: unknown;
  headers: Record<string, string>;
}
export interface CallOptions {
  signal?: AbortSignal;
  retries?: number;
  timeout?: number;
  headers?: Record<string, string>;
}
export interface WriteOptions extends CallOptions {
  /** Made for each call if absent, and the same for its retries. Name one to be safe across processes. */
  idempotencyKey?: string;
}
export interface Answer<Data> {
  data: Data;
  status: number;
  headers: Headers;
  etag: string | null;
}

/** Decides by `code`: `catch (error) { if (isPostroomError(error)) switch (error.code) … }`. */
export type PostroomError =
  | Base<"INVALID_JSON" | "VALIDATION_ERROR", 400>
  | Base<"UNAUTHORIZED", 401>
  | (Base<"FORBIDDEN", 403> & { /** What the key lacks. */ readonly scope: Scope | null })
  | Base<"NOT_FOUND", 404>
  | Base<"METHOD_NOT_ALLOWED", 405>
  | Base<"CONFLICT", 409>
  | Base<"PAYLOAD_TOO_LARGE", 413>
  | (Base<"RATE_LIMITED", 429> & {
      /** Seconds, at most a day; 0 if the service does not say. */ readonly retryAfter: number;
    })
  | Base<"INTERNAL_ERROR", 500>
  | Base<"UPLOAD_FAILED", 500 | 502 | 503>
  | (Base<"OVERLOADED", 503> & { /** Seconds; 0 if the service does not say. */ readonly retryAfter: number })
  | Base<"INSUFFICIENT_STORAGE", 507>
  /** The storage server’s own answer to a PUT; `details` has its code. */
  | Base<"STORAGE_REFUSED", number>
  /** No answer came. An abort rejects with `signal.reason` instead. */
  | Base<"NETWORK" | "TIMEOUT", 0>
  /** Not an answer of this service, such as the page of a proxy. */
  | Base<"UNEXPECTED_ANSWER", number>;

interface Base<Code extends string, Status extends number> extends Error {
  readonly name: "PostroomError";
  readonly code: Code;
  readonly status: Status;
  readonly details: readonly Schemas["ErrorDetail"][];
  readonly requestId: string | null;
  readonly attempts: number;
}
/** What a key may do. */
export type Scope =
  "content:read" | "settings:read" | "files:read" | "files:write" | "newsletter:read" | "newsletter:write" | "visitors";
/** Codes of the service, and those of the client. */
export type ErrorCode = PostroomError["code"];

export function isPostroomError(value: unknown): value is PostroomError {
  return value instanceof Error && value.name === "PostroomError";
}

export type OperationId = keyof typeof routes & keyof operations;
/** What an operation of the document reads. */
export type OperationInput<Id extends OperationId> = Pick<operations[Id]["parameters"], "path" | "query"> & {
  body?: operations[Id] extends { requestBody?: { content: { "application/json": infer Body } } } ? Body : never;
};
/** What an operation responds with: the `data` of its envelope, or a text. */
export type OperationData<Id extends OperationId> = DataOf<operations[Id]["responses"]>;
type DataOf<Responses> = Responses extends { 200: { content: { "application/json": infer Json } } }
  ? Unwrapped<Json>
  : Responses extends { 201: { content: { "application/json": infer Json } } }
    ? Unwrapped<Json>
    : string;
type Unwrapped<Json> = Json extends { success: true; data: infer Data } ? Data : Json;

/** What a test replaces. */
export interface Platform {
  /** Rejects with the signal's reason if that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
  /** Milliseconds without progress after which a PUT to storage ends. */
  stallMs: number;
  /** Larger files are sent in parts. */
  maxPutBytes: number;
}

export interface Connection extends Platform {
  /** Any operation. @throws PostroomError */
  answer<Data>(id: OperationId, input?: Input, options?: WriteOptions): Promise<Answer<Data>>;
  /** The datum alone. @throws PostroomError */
  data<Data>(id: OperationId, input?: Input, options?: WriteOptions): Promise<Data>;
  /** The datum, or null if there is none. @throws PostroomError */
  find<Data>(id: OperationId, input?: Input, options?: CallOptions): Promise<Data | null>;
  options: ClientOptions;
  cache: Cache | undefined;
}
interface Input {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
}

const maxWaitMs = 30_000;
const maxErrorBytes = 65_536;
const maxCachedLength = 2 ** 20; // characters of a response

/** An error as `PostroomError` describes it. */
export class CallError extends Error {
  readonly status: number = 0;
  readonly details: readonly Schemas["ErrorDetail"][] = [];
  readonly requestId: string | null = null;
  readonly attempts: number = 1;
  readonly retryAfter: number = 0;
  readonly scope: string | null = null;

  constructor(
    readonly code: string,
    message: string,
    more: Partial<
      Pick<CallError, "status" | "details" | "requestId" | "attempts" | "retryAfter" | "scope" | "cause">
    > = {},
  ) {
    super(message);
    this.name = "PostroomError";
    Object.assign(this, more);
  }
}

/** Whether the service said that one of these fields is wrong. */
export const isAbout = (error: unknown, fields: RegExp) =>
  error instanceof CallError && error.details.some(({ field }) => fields.test(field));

/** Resolves after so many milliseconds. Rejects with the signal's reason if that comes first. */
export const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });

/** The time before the attempt after this one, in ms: half to one and a half of 250, 500, 1,000 … */
export const backoff = ({ random }: Platform, attempt: number) => 250 * 2 ** (attempt - 1) * (0.5 + random());

export const isPage = () => "document" in globalThis;

/** A connection to the service with these options. */
export function connect(options: ClientOptions, platform: Platform): Connection {
  if (options.key && isPage() && !options.inBrowser)
    throw new Error("Keys are for servers: in a page, its visitors could read them.");
  const kept = options.cache ?? (isPage() ? 0 : 100); // pages have a cache of their own, and need no preflight without ours
  const cache = typeof kept === "object" ? kept : kept > 0 ? memory(kept) : undefined;
  const owner = cache && options.key ? fingerprint(options.key) : "";

  async function answer<Data>(id: OperationId, input: Input = {}, call: WriteOptions = {}): Promise<Answer<Data>> {
    const { signal, retries = options.retries ?? 2 } = call;
    const request = { ...prepare(options, id, input, call), cacheKey: "" };
    if (cache) request.cacheKey = `${await owner} ${request.url}`;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await send<Data>({ ...request, attempt, options, call, cache });
      } catch (error) {
        const wait = attempt <= retries && request.isRepeatable ? waitAfter(error, attempt, platform) : Infinity;
        if (wait > maxWaitMs) throw error;
        await platform.sleep(wait, signal);
      }
    }
  }

  const data = async <Data>(...call: Parameters<typeof answer>) => (await answer<Data>(...call)).data;
  const find = <Data>(...call: Parameters<typeof answer>) => data<Data>(...call).catch(nullIf("NOT_FOUND"));
  return { ...platform, answer, data, find, options, cache };
}

/** For `catch`: an error of this code is null, such as one thing that is not there. */
export const nullIf = (code: string) => (error: unknown) => {
  if (error instanceof CallError && error.code === code) return null;
  throw error;
};

/** Returns how long to wait before the next attempt, in ms; Infinity if another cannot help. */
function waitAfter(error: unknown, attempt: number, platform: Platform): number {
  if (!(error instanceof CallError) || ![0, 429, 500, 502, 503].includes(error.status)) return Infinity; // 0: no answer came
  return error.retryAfter ? error.retryAfter * 1_000 : backoff(platform, attempt);
}

/** What stays the same in every attempt. */
interface Prepared {
  url: string;
  init: RequestInit & { method: string; headers: Record<string, string> };
  /** Whether the answer has to be JSON. */
  isJson: boolean;
  isRepeatable: boolean;
}

function prepare(options: ClientOptions, id: OperationId, input: Input, call: WriteOptions): Prepared {
  const { key, visitor } = options;
  const [method = "", template = "", type = "application/json"] = routes[id].split(" ");
  const url = urlOf(options, id, input);
  const headers: Record<string, string> = {
    accept: type,
    ...options.headers,
    ...call.headers,
  };
  const isForVisitor = visitor && /^(subscribe|sendContactMessage|getPost|visitProject)$/.test(id);
  if (key && (template.startsWith("/api/v1/") || isForVisitor)) headers["x-api-key"] = key;
  if (key && isForVisitor) {
    const { purpose, ...named } = visitor;
    for (const [name, value] of Object.entries(named)) if (value) headers[`postroom-visitor-${name}`] = value;
    if (purpose) headers["sec-purpose"] = purpose;
  }
  if (input.body) headers["content-type"] = "application/json";
  const idempotencyKey = call.idempotencyKey ?? (isKeyed(id) ? crypto.randomUUID() : undefined);
  if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
  return {
    url,
    init: { method, headers, redirect: "manual", body: JSON.stringify(input.body) ?? null },
    isJson: type === "application/json",
    isRepeatable: /^(GET|DELETE)$/.test(method) || idempotencyKey !== undefined || mayRepeat(id),
  };
}

/** The URL of an operation. */
export function urlOf({ baseUrl, blogUrl = baseUrl }: ClientOptions, id: OperationId, input: Input): string {
  const [, template = ""] = routes[id].split(" ");
  const base = String(/^(listPosts|getPost|getRssFeed|getAtomFeed|getSitemap)$/.test(id) ? blogUrl : baseUrl);
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => segment(input.path?.[name]));
  const url = new URL(base.replace(/\/$/, "") + path);
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  return url.href;
}

/** What the service does once for each Idempotency-Key. */
const isKeyed = (id: OperationId) => /^(sendContactMessage|createUpload|createSubscribers?)$/.test(id);
/** A second time, these change nothing. */
const mayRepeat = (id: OperationId) =>
  /^(subscribe|createPartUrls|renewUploadUrl|completeUpload|reportUploadFailure)$/.test(id);

/** A name in a path. What would lead to another path is the name of nothing. */
function segment(name = ""): string {
  if (/^\.{0,2}$/.test(name)) throw new CallError("NOT_FOUND", "Nothing has an empty name.", { status: 404 });
  return encodeURIComponent(name);
}

/** Tells keys apart in a cache that may be anywhere, and cannot be turned back into one. */
async function fingerprint(key: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return btoa(String.fromCharCode(...new Uint8Array(hash)));
}

interface Attempt extends Prepared {
  cacheKey: string;
  attempt: number;
  options: ClientOptions;
  call: CallOptions;
  cache: Cache | undefined;
}

/** One attempt. The time limit holds until the whole answer is there. */
async function send<Data>(request: Attempt): Promise<Answer<Data>> {
  const { url, init, attempt, options, call, cache, cacheKey } = request;
  const { method } = init;
  const limit = AbortSignal.timeout(call.timeout ?? options.timeout ?? 10_000);
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
  const entry = method === "GET" ? await cache?.get(cacheKey) : undefined;
  const headers = entry ? { ...init.headers, "if-none-match": entry.etag } : init.headers;
  options.onRequest?.({ method, url, attempt });
  const began = performance.now();
  const { response, text } = await received(request, { ...init, headers, signal }).catch((error: unknown) => {
    call.signal?.throwIfAborted();
    if (limit.aborted) throw new CallError("TIMEOUT", "The service did not answer in time.", { attempts: attempt });
    throw new CallError("NETWORK", "The service could not be reached.", { attempts: attempt, cause: error });
  });
  const { status } = response;
  const hint = response.headers.get("postroom-hint");
  const ms = performance.now() - began;
  options.onResponse?.({ method, url, attempt, status, ms, fromCache: status === 304, ...(hint && { hint }) });
  return answerOf(request, response, text, entry);
}

/** Pages cannot see where a redirect leads, so there it is followed; they send no key that it could carry away. */
async function received({ options, url }: Attempt, init: RequestInit): Promise<{ response: Response; text: string }> {
  const run = options.fetch ?? fetch;
  let response = await run(url, init);
  if (response.type === "opaqueredirect" && !options.key) response = await run(url, { ...init, redirect: "follow" });
  return { response, text: await textOf(response.body, response.status < 400 ? Infinity : maxErrorBytes) };
}

async function answerOf<Data>(
  request: Attempt,
  response: Response,
  text: string,
  entry: Entry | undefined,
): Promise<Answer<Data>> {
  const { cache, cacheKey, init, isJson } = request;
  const { status, headers } = response;
  if (status === 304 && entry && hasData<Data>(entry.body))
    return { data: entry.body.data, status, headers: new Headers(entry.headers), etag: entry.etag };

  const json = headers.get("content-type")?.includes("json") ? parsed(text) : undefined;
  if (status >= 400 && !isHealth(json)) throw errorOf(request, response, json);
  const body = isEnvelope(json) ? json : { data: json === undefined ? text : json };
  if (!hasData<Data>(body) || (isJson && json === undefined)) throw errorOf(request, response, undefined);

  const etag = headers.get("etag");
  const isKept = etag && init.method === "GET" && response.ok && text.length <= maxCachedLength;
  if (cache && isKept && !headers.get("cache-control")?.includes("no-store"))
    await cache.set(cacheKey, { etag, body, headers: Object.fromEntries(headers) });
  return { data: body.data, status, headers, etag };
}

/** The document says which type the datum of an operation has. */
const hasData = <Data>(body: unknown): body is { data: Data } => isObject(body) && "data" in body;
const isEnvelope = (json: unknown) => hasData(json) && "success" in json;
/** What /readyz says with status 503. */
const isHealth = (json: unknown) => isObject(json) && typeof json.status === "string" && !("success" in json);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a body, up to so many bytes; the rest is not read. */
export async function textOf(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let left = maxBytes; reader && left > 0;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.length;
  }
  await reader?.cancel();
  return text;
}

function errorOf({ attempt }: Attempt, { status, headers }: Response, json: unknown): CallError {
  const said = isObject(json) && isObject(json.error) ? json.error : {};
  const { code, message, details } = said;
  const more = { status, attempts: attempt, requestId: headers.get("x-request-id") };
  if (typeof code !== "string" || typeof message !== "string")
    return new CallError("UNEXPECTED_ANSWER", `The answer is not the service’s (status ${status}).`, more);
  const fields = (Array.isArray(details) ? details : []).filter(isDetail);
  const scope = fields.find(({ field }) => field === "scope")?.message ?? null;
  return new CallError(code, message, { ...more, details: fields, scope, retryAfter: secondsIn(headers) });
}

const isDetail = (value: unknown): value is Schemas["ErrorDetail"] =>
  isObject(value) && typeof value.field === "string" && typeof value.message === "string";

/** Seconds to wait, at most a day, from a number or a date; 0 if the header says neither. */
function secondsIn(headers: Headers): number {
  const text = headers.get("retry-after") ?? "";
  const seconds = Number(text) || (Date.parse(text) - Date.now()) / 1_000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), 86_400) : 0;
}

/** The newest entries, up to so many. */
function memory(size: number): Cache {
  const entries = new Map<string, Entry>();
  const set = (key: string, entry: Entry) => {
    entries.delete(key);
    entries.set(key, entry); // now the newest
    for (const [oldest] of entries) if (entries.size > size) entries.delete(oldest);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry) set(key, entry);
      return entry;
    },
    set,
  };
}
