/** R11: 200 parallel bodies of 100 MB, announced and in chunks. Each is a 413; the memory grows by less than 20 MB. */
import { connect } from "node:net";
import { startService, temporaryFolder } from "../support/processes";
import { atMost, conclude, exactly } from "../support/figures";

const megabytes = 100;
const block = Buffer.alloc(256 * 1024, "x");
type Kind = "announced" | "chunked";

/** @returns how many were refused with 413, and by how many MB the service grew meanwhile */
export async function tortureBodies(parallel: number) {
  using folder = temporaryFolder();
  const service = await startService(folder.path, { LOG_LEVEL: "error" });
  const figures: Record<string, number> = {};
  for (const kind of ["announced", "chunked"] as const) {
    const before = await residentMegabytes(service.pid);
    let most = before;
    const watch = setInterval(async () => (most = Math.max(most, await residentMegabytes(service.pid))), 20);
    const answers = await Promise.all(Array.from({ length: parallel }, () => send(service.port, kind)));
    clearInterval(watch);
    figures[`${kind} 413`] = answers.filter((answer) => answer.startsWith("HTTP/1.1 413 ")).length;
    figures[`${kind} MB`] = Math.round((most - before) * 10) / 10;
  }
  await service.end();
  return figures;
}

/** Sends until the whole body is out or an answer comes, and returns that. */
const send = (port: number, kind: Kind) =>
  new Promise<string>((resolve) => {
    let answer = "";
    let left = (megabytes * 2 ** 20) / block.length;
    const length = kind === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${megabytes * 2 ** 20}`;
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
      );
      pour();
    });
    function pour() {
      while (left-- > 0) {
        if (kind === "chunked") socket.write(`${block.length.toString(16)}\r\n`);
        const hasRoom = socket.write(block);
        if (kind === "chunked") socket.write("\r\n");
        if (!hasRoom) return void socket.once("drain", pour);
      }
    }
    socket.on("data", (chunk) => {
      answer += chunk;
      if (answer.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", () => resolve(answer));
    socket.setTimeout(20_000, () => socket.destroy());
  });

async function residentMegabytes(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text()) ?? [];
  return Number(kilobytes) / 1024;
}

if (import.meta.main) {
  const parallel = Number(Bun.argv[2] ?? 200);
  const figures = await tortureBodies(parallel);
  conclude([
    exactly("R11", "bodies of 100 MB refused, announced", parallel, figures["announced 413"] ?? 0),
    exactly("R11", "the same in chunks", parallel, figures["chunked 413"] ?? 0),
    atMost("R11", "memory more than before, announced, MB", 20, figures["announced MB"] ?? Number.NaN),
    atMost("R11", "the same in chunks, MB", 20, figures["chunked MB"] ?? Number.NaN),
  ]);
}
