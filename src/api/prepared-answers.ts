import { createHash } from "node:crypto";
import * as versions from "../../db/versions";
import type { Deps } from "../deps";

/** A success, ready to be sent as often as it stays true. */
export type Prepared = { body: Uint8Array<ArrayBuffer>; etag: string; headers: Headers; until: Date | undefined };

type Content = {
  data: unknown;
  headers?: Record<string, string>;
  /** When the data changes by itself; undefined: not before somebody changes it. */
  until?: Date | undefined;
};

const most = 500; // answers kept for one topic
const large = 64 * 1024; // bytes; longer answers are not kept

/**
 * Answers to keyed reads (D24). The bytes are made once for each query, and kept until the topic's version says that
 * somebody changed something, or the next scheduled post is due.
 */
export function preparedAnswers({ db, now }: Pick<Deps, "db" | "now">, topic: versions.Topic) {
  const kept = new Map<string, Prepared>();
  let keptVersion = -1;

  return async (request: Request, query: string, make: (changedAt: Date) => Promise<Content>): Promise<Response> => {
    const { version, changedAt } = await versions.current(db, topic);
    if (version !== keptVersion) {
      kept.clear();
      keptVersion = version;
    }
    const known = kept.get(query);
    if (known && !(known.until && known.until <= now())) return conditional(request, known);

    const fresh = prepare(await make(changedAt), keyed);
    if (version === keptVersion && fresh.body.length <= large) keep(query, fresh);
    return conditional(request, fresh);
  };

  function keep(query: string, answer: Prepared) {
    const [oldest] = kept.keys();
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
    kept.set(query, answer);
  }
}

const keyed = { "cache-control": "private, no-cache", vary: "x-api-key" };

/** Makes the bytes of a success and their strong ETag. */
export function prepare({ data, headers, until }: Content, more: Record<string, string>): Prepared {
  const body = Buffer.from(JSON.stringify({ success: true, data, error: null }));
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const type = { "content-type": "application/json;charset=utf-8" };
  return { body, etag, until, headers: new Headers({ ...type, etag, ...headers, ...more }) };
}

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
