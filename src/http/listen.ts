import type { Config } from "../config";
import { described, type Log } from "../telemetry/log";

type Where = Pick<Config, "HOST" | "PORT">;
type Fetch = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>;

const patience = 8_000; // milliseconds that requests in work have left after SIGTERM

/** The front door bounds bodies and answers with an envelope; Bun's own bound would answer with nothing. */
const common = (fetch: Fetch, log: Log) => ({
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  development: false, // whatever NODE_ENV says (P64)
  fetch,
  error(error: Error) {
    log.error("failed", described(error));
    return new Response(null, { status: 500 });
  },
});

/** Listens on HOST and PORT. @throws a sentence for the operator when that cannot be */
export function listen({ HOST, PORT }: Where, log: Log, fetch: Fetch) {
  try {
    return open(Bun.serve({ hostname: HOST, port: PORT, idleTimeout: 10, ...common(fetch, log) }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`PORT ${PORT} is in use by another program. Stop it, or set PORT.`);
    if (code === "EACCES") throw new Error(`PORT ${PORT} may not be used by this user. Set PORT to 1024 or above.`);
    if (["EINVAL", "EADDRNOTAVAIL", "ENOTFOUND"].includes(code ?? ""))
      throw new Error(`HOST ${HOST} is no address of this machine. Set HOST to one, or to 0.0.0.0 for all.`);
    throw error;
  }
}

function open(server: Bun.Server<undefined>) {
  return {
    port: server.port,
    origin: server.url.origin,
    /** Takes no more connections, and waits for the requests in work: not for ever. */
    async drain(): Promise<void> {
      const cut = setTimeout(() => void server.stop(true), patience);
      await server.stop();
      clearTimeout(cut);
    },
  };
}
