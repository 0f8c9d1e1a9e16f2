/**
 * `npm run torture slow [connections]` (figure R10): connections that do nothing, or send their head or body byte by
 * byte. Each is closed within 15 seconds, and other visitors wait at most twice as long as without them.
 */
import { connect } from "node:net";
import { fillWithPosts, reader } from "../load/content";
import { visitors } from "../load/visitors";
import { percentile, rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";
import { atMost, conclude } from "../support/figures";

const maxOpenSeconds = 15;
const watched = 25; // seconds after which a connection that is still open counts as open for ever

const kinds = {
  idle: { first: "", then: "" },
  "idle after an answer": { first: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", then: "" },
  "dripped head": { first: "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", then: "x" },
  "dripped body": {
    first:
      "POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{",
    then: " ",
  },
  "dripped chunks": {
    first:
      "POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    then: "1\r\n \r\n",
  },
};

/** Opens a slow connection. @returns the seconds until the service closed it, or `watched` */
const slow = (port: number, { first, then }: (typeof kinds)[keyof typeof kinds]) =>
  new Promise<number>((resolve) => {
    const startedAt = performance.now();
    const socket = connect(port, "127.0.0.1", () => void (first && socket.write(first)));
    const drip = setInterval(() => void (then && socket.write(then)), 1_000);
    const close = () => {
      clearInterval(drip);
      clearTimeout(end);
      socket.destroy();
      resolve((performance.now() - startedAt) / 1_000);
    };
    const end = setTimeout(close, watched * 1_000);
    socket.on("close", close);
    socket.on("error", close);
    socket.resume();
  });

/** Figures, not opinions. */
export async function tortureSlow(connections: number) {
  using folder = temporaryFolder();
  const keys = await fillWithPosts(folder.path);
  const service = await startService(folder.path, { LOG_LEVEL: "silent" });
  const read = reader(service.url, keys);
  await visitors(read, 200, 2); // warms up
  const before = await visitors(read, 200, 5);

  const each = Math.ceil(connections / Object.keys(kinds).length);
  const opened = Object.entries(kinds).map(async ([kind, what]) => {
    const seconds = await Promise.all(
      Array.from({ length: each }, async (_, i) => {
        await Bun.sleep((i * 1_000) / each); // one after the other, or they would all drip at the same moment
        return slow(service.port, what);
      }),
    );
    return {
      kind,
      connections: each,
      closedAfterS: rounded(Math.max(...seconds)),
      median: rounded(percentile(seconds, 0.5)),
    };
  });
  await Bun.sleep(1_500); // all are open
  const during = await visitors(read, 200, 5);
  const closed = await Promise.all(opened);
  await service.end();
  return { closed, p99Before: percentile(before.times, 0.99), p99During: percentile(during.times, 0.99) };
}

if (import.meta.main) {
  const connections = Number(Bun.argv[2] ?? 1_000);
  const { closed, p99Before, p99During } = await tortureSlow(connections);
  console.table(closed);
  const slowest = Math.max(...closed.map(({ closedAfterS }) => closedAfterS));
  conclude([
    atMost("R10", `the last of ${connections} slow connections is closed after, s`, maxOpenSeconds, slowest),
    atMost("R10", "p99 of reads, to what it is without them", 2, p99During / p99Before),
  ]);
}
