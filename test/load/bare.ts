/**
 * The least a server can do, to compare with: `bun test/load/bare.ts <file>` answers every request with the bytes of
 * `<file>.body` and the headers in `<file>.headers`, and prints its port.
 */
const [file = ""] = Bun.argv.slice(2);
const body = await Bun.file(`${file}.body`).bytes();
const headers = new Headers(await Bun.file(`${file}.headers`).json());
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body, { headers }) });
console.log(server.port);
