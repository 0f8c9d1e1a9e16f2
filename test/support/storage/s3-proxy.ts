/** An S3 server behind another address, which says that it is something else. */
export function s3Proxy(target: string, said: Record<string, string>) {
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      const answer = await fetch(target + pathname + search, { method, headers, body, redirect: "manual" });
      const named = new Headers(answer.headers);
      for (const [name, value] of Object.entries(said)) named.set(name, value);
      return new Response(answer.body, { status: answer.status, headers: named });
    },
  });
  return { endpoint: `http://127.0.0.1:${proxy.port}`, close: () => proxy.stop(true) };
}
