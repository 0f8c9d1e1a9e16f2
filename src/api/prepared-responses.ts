import * as versions from "../../db/engine/versions";
import type { Deps } from "./deps";
import { securityHeaders } from "../security/headers";
import { limits as limitOf, policyOf } from "../security/limits/limits";
import { codedFor, conditional, etagOf, type Prepared } from "../http/prepared";
import { contextOf, pathOf } from "../platform/request-context";

export type PreparedResponses = ReturnType<typeof preparedResponses>;

type Content = {
  data: unknown;
  headers?: Record<string, string>;
  /** When the data changes without a write, such as a scheduled post becoming due. Undefined: only writes change it. */
  until?: Date | undefined;
};

/** A prepared response and what it depends on. */
export type KeptResponse = Prepared & {
  pathname: string;
  /** The route that made it. */
  route: string;
  topic: versions.Topic;
  version: number;
  changeCounter: number;
};

const rate = { "ratelimit-policy": policyOf(limitOf.key) };
const maxKept = 1_000; // responses
const maxKeptBytes = 64 * 1024; // of one response

/**
 * Responses to keyed reads (D24). Their bytes are made once for each exact URL, and kept until the topic's version
 * changes or the next scheduled post is due.
 */
export function preparedResponses({ config, db, now }: Pick<Deps, "config" | "db" | "now">) {
  const kept = new Map<string, KeptResponse>();
  const keyed = {
    ...securityHeaders(config),
    "cache-control": "private, no-cache",
    vary: "x-api-key, Accept-Encoding",
    ...rate,
  };

  /** Returns the kept response to this request if it is still current. */
  function find({ url }: Request): KeptResponse | undefined {
    const response = kept.get(url);
    return response && isUnchanged(response) && !(response.until && response.until <= now()) ? response : undefined;
  }

  function isUnchanged(response: KeptResponse): boolean {
    const changeCounter = db.changeCounter();
    if (response.changeCounter === changeCounter) return true;
    if (response.version !== versions.current(db, response.topic).version) return false;
    response.changeCounter = changeCounter; // the change was in another topic
    return true;
  }

  /** Returns the kept response, or makes one from what `make` reads. */
  async function respond(
    topic: versions.Topic,
    request: Request,
    make: (changedAt: Date) => Promise<Content>,
  ): Promise<Response> {
    const response = find(request);
    if (response) return conditional(request, codedFor(request, response));
    const { version, changedAt } = versions.current(db, topic);
    const fresh = prepare(await make(changedAt), keyed);
    if (fresh.body.length <= maxKeptBytes)
      keep(request.url, { ...fresh, route: contextOf(request).route, topic, version });
    return conditional(request, codedFor(request, fresh));
  }

  function keep(url: string, response: Omit<KeptResponse, "pathname" | "changeCounter">) {
    const [oldest] = kept.keys();
    if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(url, { ...response, pathname: pathOf(url), changeCounter: -1 });
  }

  return { find, respond };
}

/** Makes the bytes of a success and its strong ETag. */
export function prepare({ data, headers, until }: Content, more: Record<string, string>): Prepared {
  const body = Buffer.from(JSON.stringify({ success: true, data, error: null }));
  const etag = etagOf(body);
  const type = { "content-type": "application/json;charset=utf-8" };
  return { body, etag, until, headers: new Headers({ ...type, etag, ...headers, ...more }) };
}
