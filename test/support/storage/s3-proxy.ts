/**
 * An S3 server behind another address, which says that it is something else, or changes the last byte of the objects
 * whose path matches.
 */
export function s3Proxy(target: string, said: Record<string, string>, damaged?: RegExp) {
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      const answer = await fetch(target + pathname + search, { method, headers, body, redirect: "manual" });
      const named = new Headers(answer.headers);
      for (const [name, value] of Object.entries(said)) named.set(name, value);
      const isDamaged = method === "GET" && answer.ok && damaged?.test(pathname);
      return new Response(isDamaged ? changed(await answer.bytes()) : answer.body, {
        status: answer.status,
        headers: named,
      });
    },
  });
  return { endpoint: `http://127.0.0.1:${proxy.port}`, close: () => proxy.stop(true) };
}

const changed = (bytes: Uint8Array) => new Uint8Array(bytes).with(-1, 1 ^ (bytes.at(-1) ?? 0));
