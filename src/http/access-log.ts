import type { Log } from "../platform/log";
import type { Visitor } from "../platform/request-context";
import type { Metrics } from "../telemetry/metrics";

type Answered = {
  id: string;
  method: string;
  pathname: string;
  startedAt: number;
  /** Set where a site calls on behalf of a visitor. */
  visitor?: Visitor | undefined;
  /** The client's own address. */
  address?: string;
};
export type Recorder = ReturnType<typeof recorder>;

/**
 * The path as it may be logged: whoever reads the log must not learn the secret address of an unlisted broadcast. Links
 * with tokens have them in the query, which is never logged.
 */
export const loggedPath = (pathname: string) => pathname.replace(/^\/newsletter\/.*/s, "/newsletter/…");

/** Counts and logs every response. */
export const recorder =
  ({ log, metrics }: { log: Log; metrics: Metrics }) =>
  (answered: Answered, status: number) => {
    const { id, method, pathname, startedAt, visitor } = answered;
    const milliseconds = performance.now() - startedAt;
    metrics.request(method, pathname, status, milliseconds);
    log[levelOf(status, method)]("request", {
      id,
      method,
      path: loggedPath(pathname), // never the query, which may contain an address and a token
      status,
      ms: Math.round(milliseconds * 10) / 10,
      ...(visitor && { peer: answered.address, onBehalf: visitor.apiKeyId, visitor: visitor.hash }),
    });
  };

/** Requests rejected under overload are logged at debug level only, so that an overload does not fill the disk too. */
function levelOf(status: number, method: string) {
  if (status >= 500 && status !== 503) return "error";
  return status === 503 || method === "GET" || method === "HEAD" ? "debug" : "info";
}
