import { maxPutBytes } from "./receive";

type Serve = (request: Request, server: Bun.Server<undefined>) => Promise<Response>;

export function listen(port: number, fetch: Serve): Bun.Server<undefined> {
  const options = { hostname: "127.0.0.1", maxRequestBodySize: maxPutBytes, fetch };
  try {
    return Bun.serve({ ...options, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return Bun.serve({ ...options, port: 0 });
  }
}

export function corsHeaders({ headers }: Request, origins: ReadonlySet<string>): Record<string, string> | undefined {
  const origin = headers.get("origin");
  if (!origin || !origins.has(origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, PUT",
    "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
    "access-control-expose-headers": "ETag",
    "access-control-max-age": "3000",
    vary: "Origin",
  };
}
