const worthIt = 1_024; // bytes: below, the headers of a packet weigh more than what is saved

/**
 * The page gzipped, when the browser takes it. Only HTML: JSON answers are cached as they are, assets come compressed.
 * The form token in a page is masked anew each time, so sizes tell nothing about it (the BREACH attack).
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  if (!isPage || !request.headers.get("accept-encoding")?.includes("gzip")) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  if (bytes.length < worthIt) return new Response(bytes, { status, headers });
  headers.set("content-encoding", "gzip");
  headers.append("vary", "Accept-Encoding");
  headers.delete("content-length");
  return new Response(Bun.gzipSync(bytes), { status, headers });
}
