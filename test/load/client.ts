import type { Socket } from "bun";

const headEnd = Buffer.from("\r\n\r\n");

/**
 * Sends requests over `connections` raw sockets for `seconds`, one at a time on each, as fast as they are
 * answered. Returns answers a second. `fetch` would be slower than what it measures.
 *
 * @param requests whole requests, sent in turn
 * @throws when an answer is not a 2xx
 */
export async function load(port: number, requests: Buffer[], connections: number, seconds: number): Promise<number> {
  let [answers, sent] = [0, 0];
  let isOver = false;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const next = (socket: Socket<Answer>) => void socket.write(requests[sent++ % requests.length] ?? "");

  const clients = Array.from({ length: connections }, () =>
    Bun.connect<Answer>({
      hostname: "127.0.0.1",
      port,
      data: { missing: 0 },
      socket: {
        open: next,
        data(socket, chunk) {
          const { data } = socket;
          if (data.missing === 0) data.missing = lengthOf(chunk);
          data.missing -= chunk.length;
          if (data.missing > 0) return;
          answers++;
          if (!isOver) next(socket);
        },
        error: (_, error) => reject(error),
        close() {
          if (!isOver) reject(new Error("The server closed a connection"));
        },
      },
    }),
  );
  const startedAt = performance.now();
  await Promise.race([Bun.sleep(seconds * 1000), failed]);
  const perSecond = (answers * 1000) / (performance.now() - startedAt);
  isOver = true;
  for (const client of clients) (await client).end();
  return perSecond;

  /** Bytes of the whole answer that begins with `chunk`; its head always arrives in one piece here. */
  function lengthOf(chunk: Buffer): number {
    const end = chunk.indexOf(headEnd);
    const head = chunk.toString("latin1", 0, end);
    if (end < 0 || !head.startsWith("HTTP/1.1 2")) reject(new Error(`Answered ${head.split("\r\n")[0]}`));
    return end + headEnd.length + Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  }
}

/** Bytes of the current answer that have not come yet. */
type Answer = { missing: number };
