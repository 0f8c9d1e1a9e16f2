/**
 * The least a server can do, for comparison: `bun test/load/bare.ts <file> [keyed]` responds to every request with the
 * bytes of `<file>.body` and the headers in `<file>.headers`, and prints its port. With `keyed` it also does what every
 * server with API keys must do: read the URL, key and condition of the request, and write an ID and the state of a
 * limit in two headers.
 */
const [file = "", kind] = Bun.argv.slice(2);
const body = await Bun.file(`${file}.body`).bytes();
const headers = new Headers(await Bun.file(`${file}.headers`).json());
const seen = new Map<string, number>();

const bare = () => new Response(body, { headers });

function keyed({ url, headers: asked }: Request) {
  const key = asked.get("x-api-key") ?? "";
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  if (!url || asked.get("if-none-match")) return new Response(null, { status: 304 });
  headers.set("x-request-id", crypto.randomUUID());
  headers.set("ratelimit", `"key";r=${times};t=60`);
  return bare();
}

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: kind === "keyed" ? keyed : bare });
console.log(server.port);
