import { openData } from "../data";
import { loadConfig } from "../config";
import { createLog, described } from "../log";
import { listen } from "../listen";
import { peerOf } from "../visit";
import { askingTurnstile } from "./asking";
import { forward } from "./forward";
import type { Asked, Decided, Told } from "./messages";
import { createReader, isForReader } from "./reader";

/**
 * The program of one worker: `bun src/workers/worker.ts <socket of the office> <port>`. It shares the port with the
 * others, answers keyed lists by itself, and passes everything else on to the office. It ends when the office says so,
 * or when there is no office any more.
 */
const [socket = "", port = ""] = process.argv.slice(2);
process.umask(0o077);
process.on("SIGINT", () => undefined); // Ctrl-C reaches the whole family; the office tells when to stop

const config = loadConfig();
const log = createLog(config.LOG_LEVEL);
const now = () => new Date();
const db = await openData(config, now());
const send = (message: Asked | Told) => void process.send?.(message);
const { hear, turnstile } = askingTurnstile(send);
const reader = createReader({ config, db, log, now }, turnstile);

process.on("message", (message: Decided) => hear(message));
const server = listen({ ...config, PORT: Number(port) }, log, {
  reusePort: true,
  fetch: (request, at) =>
    isForReader(request) ? reader.handle(request, at) : forward(request, peerOf(request, at), socket),
});
const telling = setInterval(tell, 1_000);
process.on("SIGTERM", () => void stop());
void Bun.stdin.text().then(() => process.exit(1)); // ends with the office, whatever ended that
send({ figures: reader.metrics.take() }); // it is here, and listens

function tell() {
  send({ figures: reader.metrics.take() });
}

/** Takes no more requests, finishes those in work, and is gone. */
async function stop() {
  clearInterval(telling);
  await server.drain();
  tell();
  await db.close().catch((error) => log.error("closing", described(error)));
  process.exit(0);
}
