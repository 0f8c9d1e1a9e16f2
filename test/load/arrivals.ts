import type { Socket } from "bun";

/** Milliseconds from when each request was due to its response, by status. 0: the connection was cut. */
export type Answers = { times: Map<number, number[]>; withoutRetryAfter: number };
type Line = { socket?: Socket<Line>; dueAt: number; missing: number; status: number };

const headEnd = Buffer.from("\r\n\r\n");

/**
 * Sends `perSecond` requests for `seconds`, however slow the responses are: each on a free connection, or a new one.
 * `fetch` could not keep up.
 */
export async function arrivals(port: number, make: () => Buffer, perSecond: number, seconds: number): Promise<Answers> {
  const answers: Answers = { times: new Map(), withoutRetryAfter: 0 };
  const free: Line[] = [];
  let [sent, settled] = [0, 0];

  const settle = (line: Line, status: number) => {
    settled++;
    const times = answers.times.get(status) ?? [];
    times.push(performance.now() - line.dueAt);
    answers.times.set(status, times);
    line.dueAt = 0;
  };
  const handlers = {
    data({ data: line }: Socket<Line>, chunk: Buffer) {
      if (line.missing === 0) {
        const end = chunk.indexOf(headEnd);
        const head = chunk.toString("latin1", 0, end);
        line.status = Number(head.slice(9, 12));
        line.missing = end + headEnd.length + Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
        if (line.status === 503 && !/^retry-after: \d/im.test(head)) answers.withoutRetryAfter++;
      }
      line.missing -= chunk.length;
      if (line.missing > 0) return;
      settle(line, line.status);
      free.push(line);
    },
    close: ({ data: line }: Socket<Line>) => {
      if (line.dueAt) settle(line, 0);
      delete line.socket;
    },
    error: ({ data: line }: Socket<Line>) => void (line.dueAt && settle(line, 0)),
  };

  function send(dueAt: number): void {
    sent++;
    let line = free.pop();
    while (line && !line.socket) line = free.pop();
    if (line?.socket) return void Object.assign(line, { dueAt }).socket?.write(make());
    const fresh: Line = { dueAt, missing: 0, status: 0 };
    const open = (socket: Socket<Line>) => void (fresh.socket = socket).write(make());
    Bun.connect<Line>({ hostname: "127.0.0.1", port, data: fresh, socket: { open, ...handlers } }).catch(() =>
      settle(fresh, 0),
    );
  }

  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  while (performance.now() < end) {
    const due = ((performance.now() - startedAt) * perSecond) / 1_000;
    while (sent < due) send(startedAt + (sent / perSecond) * 1_000);
    await Bun.sleep(1);
  }
  const patience = performance.now() + 10_000;
  while (settled < sent && performance.now() < patience) await Bun.sleep(10);
  for (const { socket } of free) socket?.end();
  return answers;
}
