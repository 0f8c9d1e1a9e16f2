import { connect } from "node:net";
import type { Started } from "./pipelined-service";

/** R14: how much more processor time a stranger's GET may take than one of /healthz, so that others wait no longer. */
export const maxRatio = 3;
const encodings = ["identity", "gzip", "deflate", "br", "zstd", "gzip, deflate, br, zstd", "*"];
const rounds = 5; // the least of which counts, because garbage collections fall on any

type Report = { routes: number; asked: number; ratio: number; worst: string; findings: string[] };

/**
 * Asks every GET route `n` times over one connection without waiting, with each Accept-Encoding, as a stranger. Judges
 * the cost unless `isTimed` is false; that all are answered shows in any case.
 */
export async function pipelined(n: number, { isTimed = true } = {}): Promise<Report> {
  const service = await start();
  const cost = async (path: string, encoding: string) => {
    const before = await service.microseconds();
    await askTogether(service.port, path, encoding, n);
    return ((await service.microseconds()) - before) / n;
  };
  const ordinary = () => cost("/healthz", "identity");
  for (let round = 0; round < rounds; round++) await ordinary(); // compiled by now
  const report: Report = { routes: service.paths.length, asked: 0, ratio: 0, worst: "", findings: [] };
  for (const path of service.paths)
    for (const encoding of encodings) {
      await askTogether(service.port, path, encoding, isTimed ? 20 : n); // what is loaded and made once is not the cost of a request
      report.asked += n;
      if (!isTimed) continue;
      let ratio = Infinity;
      for (let round = 0; round < rounds && ratio > maxRatio; round++)
        ratio = Math.min(ratio, (await cost(path, encoding)) / (await ordinary()));
      const seen = `GET ${path} with ${encoding}: × ${ratio.toFixed(1)} of /healthz`;
      if (ratio > report.ratio) Object.assign(report, { ratio, worst: seen });
      if (ratio > maxRatio) report.findings.push(seen);
    }
  service.end();
  return report;
}

async function start() {
  const started = Promise.withResolvers<Started>();
  let told = (_: number) => {};
  const child = Bun.spawn([process.execPath, "--no-env-file", `${import.meta.dir}/pipelined-service.ts`], {
    stdio: ["ignore", "ignore", "inherit"],
    ipc: (message: Started | number) => (typeof message === "number" ? told(message) : started.resolve(message)),
  });
  return {
    ...(await started.promise),
    /** The process's own time so far. */
    microseconds: () =>
      new Promise<number>((resolve) => {
        told = resolve;
        child.send("time");
      }),
    end: () => child.kill(),
  };
}

/** Resolves when the last response has arrived. X-Forwarded-For: someone elsewhere, who may not read the metrics. */
function askTogether(port: number, path: string, encoding: string, n: number): Promise<void> {
  const one = `GET ${path} HTTP/1.1\r\nHost: localhost:3000\r\nX-Forwarded-For: 203.0.113.9\r\nAccept-Encoding: ${encoding}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`${one}\r\n`.repeat(n - 1) + `${one}Connection: close\r\n\r\n`),
    );
    socket.on("data", () => {});
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}

if (import.meta.main) {
  console.log(await pipelined(Number(Bun.argv[2] ?? 500)));
  process.exit();
}
