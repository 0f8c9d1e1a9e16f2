import type { Config } from "../platform/config";
import { described, errorCode, type Log } from "../platform/log";
import { hasBody } from "./request-body";

type Where = Pick<Config, "HOST" | "PORT">;
type Handler = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>;

/** How long the other end of a connection may be silent. Bun checks every four seconds. */
export const idleTimeoutSeconds = 10;
const drainTimeoutMs = 8_000; // for running requests, after SIGTERM
const drainCheckMs = 100;

/** The pipeline limits bodies and responds with an envelope; Bun's own limit would respond without one. */
const common = (fetch: Handler, log: Log) => ({
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  development: false, // NODE_ENV decides only whether development storage is available
  reusePort: false, // otherwise, in production, Bun would share the port with another program that also allows it
  fetch,
  error(error: Error) {
    log.error("failed", described(error));
    return new Response(null, { status: 500 });
  },
});

/**
 * Bun (1.4.5) counts the time a handler takes as idle, unless the request had a body: on a slow database, a page or a
 * DELETE would be cut off instead of answered.
 */
function timed(handle: Handler, idleSeconds: number): Handler {
  return (request, server) => {
    const isReading = hasBody(request); // slow bodies are cut off
    const response = handle(request, server);
    if (isReading || !(response instanceof Promise)) return response;
    server.timeout(request, 0);
    return response.finally(() => server.timeout(request, idleSeconds));
  };
}

/** Listens on HOST and PORT. @throws a message for the operator if it cannot */
export function listen({ HOST, PORT }: Where, log: Log, handle: Handler, idleTimeout = idleTimeoutSeconds) {
  try {
    const options = common(timed(handle, idleTimeout), log);
    return open(Bun.serve({ hostname: HOST, port: PORT, idleTimeout, ...options }), log);
  } catch (cause) {
    throw new Error(listenFailure(errorCode(cause), { HOST, PORT }), { cause });
  }
}

/**
 * Says what the operator has to change. A wrong HOST has a dozen codes, depending on the resolver; a wrong PORT has
 * two.
 */
export function listenFailure(code: string | undefined, { HOST, PORT }: Where): string {
  if (code === "EADDRINUSE") return `PORT ${PORT} is already in use. Stop the other program, or set a different PORT.`;
  if (code === "EACCES") return `PORT ${PORT} is not allowed for this user. Set PORT to 1024 or higher.`;
  return `HOST ${HOST} is not an address of this machine (${code ?? "no code"}). Use one of its addresses, or 0.0.0.0 for all.`;
}

function open(server: Bun.Server<undefined>, log: Log) {
  return {
    port: server.port,
    origin: server.url.origin,
    /** Accepts no more connections, and waits for running requests, up to a limit. */
    async drain(): Promise<void> {
      const cutOff = setTimeout(() => {
        log.warn("cut", { inWork: server.pendingRequests });
        void server.stop(true);
      }, drainTimeoutMs);
      // Bun (1.4.5) also waits for clients that were answered, as with 413, before they had sent the whole body
      const check = setInterval(() => {
        if (server.pendingRequests === 0) void server.stop(true);
      }, drainCheckMs);
      await server.stop();
      clearInterval(check);
      clearTimeout(cutOff);
    },
  };
}
