import type { Config } from "../config";
import { described, type Log } from "../telemetry/log";

type Where = Pick<Config, "HOST" | "PORT">;
type Fetch = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>;

const drainTimeoutMs = 8_000; // for requests in work, after SIGTERM

/** The pipeline bounds bodies and answers with an envelope; Bun's own bound would answer with nothing. */
const common = (fetch: Fetch, log: Log) => ({
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  development: false, // whatever NODE_ENV says (P64)
  reusePort: false, // in production Bun would share the port with another program that does the same
  fetch,
  error(error: Error) {
    log.error("failed", described(error));
    return new Response(null, { status: 500 });
  },
});

/** Listens on HOST and PORT. @throws a sentence for the operator when that cannot be */
export function listen(where: Where, log: Log, fetch: Fetch) {
  try {
    return open(Bun.serve({ hostname: where.HOST, port: where.PORT, idleTimeout: 10, ...common(fetch, log) }), log);
  } catch (cause) {
    throw new Error(listenFailure((cause as NodeJS.ErrnoException).code, where), { cause });
  }
}

/** What the operator has to change. A wrong HOST has a dozen codes, by the machine's resolver; a wrong PORT has two. */
export function listenFailure(code: string | undefined, { HOST, PORT }: Where): string {
  if (code === "EADDRINUSE") return `PORT ${PORT} is already in use. Stop the other program, or set a different PORT.`;
  if (code === "EACCES") return `PORT ${PORT} is not allowed for this user. Set PORT to 1024 or higher.`;
  return `HOST ${HOST} is not an address of this machine (${code ?? "no code"}). Use one of its addresses, or 0.0.0.0 for all.`;
}

function open(server: Bun.Server<undefined>, log: Log) {
  return {
    port: server.port,
    origin: server.url.origin,
    /** Takes no more connections, and waits for the requests in work: not for ever. */
    async drain(): Promise<void> {
      const cutOff = setTimeout(() => {
        log.warn("cut", { inWork: server.pendingRequests });
        void server.stop(true);
      }, drainTimeoutMs);
      await server.stop();
      clearTimeout(cutOff);
    },
  };
}
