import autocannon from "autocannon";
import { join } from "node:path";
import { temporaryFolder } from "../support/processes";

/** The throughput of one program, and what one request cost the service. */
export type Load = { perSecond: number; microseconds: number };
export type Target = { port: number; pid: number };
type Request = { method: string; path: string; headers?: Record<string, string>; body?: string };

/**
 * Sends `requests` in turn over `connections` for `seconds`, each as soon as the previous one is answered: with wrk if
 * available, which uses the least of the machine itself, otherwise with autocannon. The cost is the service's processor
 * time, which other programs affect less than its speed.
 *
 * @throws if a response is not a 2xx
 */
export async function load({ port, pid }: Target, requests: Request[], connections: number, seconds: number) {
  const before = await processorTime(pid);
  const send = Bun.which("wrk") ? wrk : cannon;
  const { count, perSecond } = await send(port, requests, connections, seconds);
  return { perSecond, microseconds: ((await processorTime(pid)) - before) / count } satisfies Load;
}

export const generator = Bun.which("wrk") ? "wrk" : "autocannon";

async function cannon(port: number, requests: Request[], connections: number, seconds: number) {
  const url = `http://127.0.0.1:${port}`;
  /** A connection would begin with the first of all: over each, the same person would subscribe. */
  const partOf = (client: number) => requests.filter((_, at) => at % connections === client % requests.length);
  let clients = 0;
  const {
    requests: sent,
    non2xx,
    errors,
  } = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (client) => client.setRequests(partOf(clients++)),
  });
  if (non2xx || errors) throw new Error(`autocannon: ${non2xx} answers were no success, ${errors} did not come`);
  return { count: sent.total, perSecond: sent.average };
}

async function wrk(port: number, requests: Request[], connections: number, seconds: number) {
  using folder = temporaryFolder();
  const [script, file] = [join(folder.path, "requests.lua"), join(folder.path, "requests")];
  await Bun.write(file, requests.map(wireOf).join("\0"));
  await Bun.write(script, lua(file));
  const run = Bun.spawn(["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, `http://127.0.0.1:${port}`], {
    stderr: "pipe",
  });
  const out = await run.stdout.text();
  const count = Number(/(\d+) requests in/.exec(out)?.[1]);
  const refused = /Non-2xx.*: \d+/.exec(out)?.[0] ?? /Socket errors.*/.exec(out)?.[0];
  if (!count || refused) throw new Error(`wrk: ${refused ?? (out || (await run.stderr.text()))}`);
  return { count, perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]) };
}

/** A request as it goes over the wire. */
export function wireOf({ method, path, headers = {}, body = "" }: Request): string {
  const length = body ? { "content-length": String(Buffer.byteLength(body)) } : {};
  const lines = Object.entries({ host: "localhost", ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

const lua = (file: string) => `
local requests, turn = {}, 0
for request in io.open(${JSON.stringify(file)}, "rb"):read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = request end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end`;

/** Microseconds that a process has worked, in user and kernel (Linux; elsewhere not a number). */
export async function processorTime(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => "");
  const fields = stat.split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
