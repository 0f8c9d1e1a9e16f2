/**
 * `npm run torture stop [times]` (figure R5): SIGTERM under load. Every request that the service has begun to read is
 * answered completely, and it exits with 0 within five seconds.
 */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { percentile, rounded } from "../support/measures";
import { someAddress } from "../load/visitors";
import { startService, temporaryFolder } from "../support/processes";
import { atMost, conclude, exactly } from "../support/figures";

const clients = 16;
/** What became of a request whose head had arrived when the signal came. */
type Fate = "answered" | "reset" | "refused";

/** Stops the service `times` times. Figures, not opinions. */
export async function tortureStop(times: number) {
  using folder = temporaryFolder();
  const figures = {
    stops: times,
    acknowledged: 0,
    inFlight: 0,
    reset: 0,
    turnedAway: 0,
    lost: 0,
    wrongCode: 0,
    logLeft: 0,
  };
  const exits: number[] = [];
  for (let n = 0; n < times; n++) {
    const service = await startService(folder.path, { LOG_LEVEL: "error" });
    const acknowledged: string[] = [];
    let isOver = false;
    const crowd = Array.from({ length: clients }, async () => {
      while (!isOver) if ((await visit(service.port, acknowledged)) === "reset") figures.turnedAway++;
    });
    while (acknowledged.length < 2) await Bun.sleep(5);
    await Bun.sleep(50 + Math.random() * 100); // any moment will do

    const inFlight = Array.from({ length: clients }, () => halfSent(service.port));
    await Promise.all(inFlight.map((request) => request.arrived));
    const startedAt = performance.now();
    const ended = service.end();
    const fates = await Promise.all(inFlight.map((request) => request.finish()));
    if ((await ended).code !== 0) figures.wrongCode++;
    if (existsSync(join(folder.path, "postroom.sqlite-wal"))) figures.logLeft++;
    exits.push(performance.now() - startedAt);
    isOver = true;
    await Promise.all(crowd);

    figures.inFlight += fates.length;
    figures.reset += fates.filter((fate) => fate === "reset").length;
    figures.acknowledged += acknowledged.length;
    figures.lost += missing(join(folder.path, "postroom.sqlite"), acknowledged);
  }
  return { ...figures, exitMsP50: rounded(percentile(exits, 0.5)), exitMsMax: rounded(Math.max(...exits)) };
}

/** A subscribe on a connection of its own. One that came too late may be turned away; whatever is not a whole 201 promises nothing. */
async function visit(port: number, acknowledged: string[]): Promise<Fate> {
  const email = `${crypto.randomUUID()}@example.com`;
  const request = halfSent(port, email);
  const fate = await request.finish();
  if (fate === "answered") acknowledged.push(email);
  return fate;
}

/**
 * A subscribe of which the head and half of the body are out. It has `arrived` when the service asks for the rest (or has
 * hung up); `finish` sends that and tells what came of it.
 */
function halfSent(port: number, email = `${crypto.randomUUID()}@example.com`) {
  const body = JSON.stringify({ email });
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  let failed = false;
  let connected = false;
  socket.on("connect", () => (connected = true));
  socket.on("data", (bytes) => (answer += bytes));
  socket.on("error", () => (failed = true));
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const arrived = Promise.race([new Promise((resolve) => socket.once("data", resolve)), closed]);
  socket.write(
    `POST /api/newsletter/subscribe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n` +
      `X-Forwarded-For: ${someAddress()}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  return {
    arrived,
    async finish(): Promise<Fate> {
      socket.write(body.slice(10));
      await closed;
      if (!connected) return "refused";
      return !failed && /^(HTTP\/1.1 100 Continue\r\n\r\n)?HTTP\/1.1 201/.test(answer) && answer.endsWith("}")
        ? "answered"
        : "reset";
    },
  };
}

function missing(file: string, emails: string[]): number {
  const sqlite = new Database(file, { readonly: true });
  const found = sqlite.query("select 1 from subscribers where email_key = ?");
  const lost = emails.filter((email) => !found.get(email)).length;
  sqlite.close();
  return lost;
}

if (import.meta.main) {
  const figures = await tortureStop(Number(Bun.argv[2] ?? 100));
  console.table([figures]);
  const { reset, lost, wrongCode, logLeft, exitMsMax } = figures;
  conclude([
    exactly("R5", "requests in work that were cut", 0, reset),
    exactly("R5", "acknowledged and lost", 0, lost),
    exactly("R5", "exits with another code than 0, or with a log left behind", 0, wrongCode + logLeft),
    atMost("R5", "slowest exit, ms", 5_000, exitMsMax),
  ]);
}
