import { createHash } from "node:crypto";
import * as versions from "../../db/engine/versions";
import type { Deps } from "../boot/deps";
import { securityHeaders } from "../security/headers";
import { limits as limitOf, policyOf } from "../security/rate-limit";
import { pathOf } from "../http/request-context";

/** A success, ready to be sent as often as it stays true. */
export type Prepared = { body: Uint8Array<ArrayBuffer>; etag: string; headers: Headers; until: Date | undefined };
export type PreparedAnswers = ReturnType<typeof preparedAnswers>;

type Content = {
  data: unknown;
  headers?: Record<string, string>;
  /** When the data changes by itself; undefined: not before somebody changes it. */
  until?: Date | undefined;
};

/** The same with what it is true of. */
export type Kept = Prepared & { pathname: string; topic: versions.Topic; version: number; changeCounter: number };

const rate = { "ratelimit-policy": policyOf(limitOf.key) };
const most = 1_000; // answers kept
const large = 64 * 1024; // bytes; longer answers are not kept

/**
 * Answers to keyed reads (D24). The bytes are made once for each URL as it was written, and kept until
 * the topic's version says that somebody changed something, or the next scheduled post is due.
 */
export function preparedAnswers({ config, db, now }: Pick<Deps, "config" | "db" | "now">) {
  const kept = new Map<string, Kept>();
  const keyed = { ...securityHeaders(config), "cache-control": "private, no-cache", vary: "x-api-key", ...rate };

  /** What is kept for this request and still true. */
  function find({ url }: Request): Kept | undefined {
    const known = kept.get(url);
    return known && isUnchanged(known) && !(known.until && known.until <= now()) ? known : undefined;
  }

  function isUnchanged(known: Kept): boolean {
    const changeCounter = db.changeCounter();
    if (known.changeCounter === changeCounter) return true;
    if (known.version !== versions.current(db, known.topic).version) return false;
    known.changeCounter = changeCounter; // the change was elsewhere
    return true;
  }

  /** The answer from what is kept, or else from what `make` reads. */
  async function answer(
    topic: versions.Topic,
    request: Request,
    make: (changedAt: Date) => Promise<Content>,
  ): Promise<Response> {
    const known = find(request);
    if (known) return conditional(request, known);
    const { version, changedAt } = versions.current(db, topic);
    const fresh = prepare(await make(changedAt), keyed);
    if (fresh.body.length <= large) keep(request.url, { ...fresh, topic, version });
    return conditional(request, fresh);
  }

  function keep(url: string, answer: Omit<Kept, "pathname" | "changeCounter">) {
    const [oldest] = kept.keys();
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
    kept.set(url, { ...answer, pathname: pathOf(url), changeCounter: -1 });
  }

  return { answer, find };
}

/** Makes the bytes of a success and their strong ETag. */
export function prepare({ data, headers, until }: Content, more: Record<string, string>): Prepared {
  const body = Buffer.from(JSON.stringify({ success: true, data, error: null }));
  const etag = etagOf(body);
  const type = { "content-type": "application/json;charset=utf-8" };
  return { body, etag, until, headers: new Headers({ ...type, etag, ...headers, ...more }) };
}

/** The strong ETag of these bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;

/** The answer, or 304 when the caller has it already. What the caller's own cache is told does not matter here. */
export function conditional(request: Request, { body, etag, headers }: Prepared): Response {
  const condition = request.headers.get("if-none-match");
  if (condition === null || !names(condition, etag)) return new Response(body, { headers });
  const answer = new Response(null, { status: 304, headers });
  answer.headers.delete("content-type");
  return answer;
}

/** RFC 9110, 13.1.2: a list or `*`, compared weakly. */
const names = (condition: string, etag: string) =>
  condition.split(",").some((each) => ["*", etag].includes(each.trim().replace(/^W\//, "")));
