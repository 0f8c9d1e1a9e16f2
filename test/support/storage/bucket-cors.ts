import type { StorageNode } from "../../../db/storage/nodes/nodes";

/** An S3 server with rules for pages in each bucket, as AWS, Ceph and versitygw have them; the node behind it has none. */
export function bucketCors({ endpoint: target }: Pick<StorageNode, "endpoint">) {
  let rules: string | undefined;
  let writes = 0;
  const originsIn = (xml = "") => [...xml.matchAll(/<AllowedOrigin>([^<]*)</g)].map(([, origin = ""]) => origin);

  async function cors(request: Request): Promise<Response> {
    if (request.method === "PUT") {
      rules = await request.text();
      writes++;
      return new Response(null);
    }
    const missing = "<Error><Code>NoSuchCORSConfiguration</Code></Error>";
    return rules === undefined ? new Response(missing, { status: 404 }) : new Response(rules);
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search, searchParams } = new URL(request.url);
      const { method, headers } = request;
      if (searchParams.has("cors")) return cors(request);
      const origin = headers.get("origin");
      const isAllowed = origin !== null && originsIn(rules).includes(origin);
      const allowed = {
        "access-control-allow-origin": origin ?? "",
        "access-control-allow-methods": "GET, HEAD, PUT",
        "access-control-expose-headers": "ETag",
      };
      if (method === "OPTIONS") return new Response(null, isAllowed ? { headers: allowed } : { status: 403 });
      const body = method === "PUT" || method === "POST" ? await request.bytes() : null;
      const answer = await fetch(target + pathname + search, { method, headers, body, redirect: "manual" });
      const shown = new Headers(answer.headers);
      if (isAllowed) for (const [name, value] of Object.entries(allowed)) shown.set(name, value);
      return new Response(answer.body, { status: answer.status, headers: shown });
    },
  });
  return {
    endpoint: server.url.origin,
    /** The sites whose pages may upload, and how often that was changed. */
    allowed: () => originsIn(rules),
    writes: () => writes,
    close: () => server.stop(true),
  };
}
