import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Bearer } from "../../db/api-keys";
import type { App } from "../app";
import type { Config } from "../config";
import { listen, listenAt } from "../listen";
import type { Log } from "../log";
import type { Turnstile } from "../security/turnstile";
import { peerHeader } from "./forward";
import type { Asked, Decided, Told } from "./messages";

type Office = { config: Config; log: Log; app: App; turnstile: Turnstile };

const program = join(import.meta.dir, "worker.ts");
const pause = 1_000; // milliseconds before a worker that died is replaced, so that a broken one does not spin

/**
 * Several processes at one port (WORKERS). The workers answer keyed lists; this process does everything else, and all
 * that has to be counted: limits, visits, the outbox and whatever is remembered exist here once, so that they are as
 * exact as with one process. Resolves when every worker listens.
 */
export async function openOffice({ config, log, app, turnstile }: Office) {
  const { port, origin } = await freePort(config, log);
  const socket = socketIn(config);
  const inside = listenAt(socket, log, (request) => {
    const peer = request.headers.get(peerHeader) ?? undefined;
    request.headers.delete(peerHeader);
    return app.handle(request, peer);
  });
  const crew = new Set<Subprocess>();
  const bearers = new Map<string, Bearer>();
  let isClosing = false;

  const bearerOf = (id: string): Bearer => {
    const bearer = bearers.get(id) ?? { id, usedAt: undefined };
    bearers.set(id, bearer);
    return bearer;
  };

  async function decide({ turn, keys }: Asked): Promise<Decided> {
    return { turn, verdicts: await Promise.all(keys.map(({ id, isPassive }) => turnstile(bearerOf(id), isPassive))) };
  }

  /** Resolves when the worker has said that it listens. */
  const hire = () =>
    new Promise<void>((listens) => {
      const worker = Bun.spawn([process.execPath, program, socket, String(port)], {
        stdio: ["pipe", "inherit", "inherit"], // by the end of stdin it notices ours
        ipc(message: Asked | Told, from) {
          if ("keys" in message) return void decide(message).then((decided) => from.send(decided));
          app.metrics.add(message.figures);
          listens();
        },
        onExit(gone, code, signal) {
          crew.delete(gone);
          listens();
          if (isClosing) return;
          log.error("worker died", { pid: gone.pid, code, signal });
          setTimeout(() => isClosing || void hire(), pause);
        },
      });
      crew.add(worker);
    });

  await Promise.all(Array.from({ length: config.WORKERS }, hire));

  return {
    origin,
    /** Lets the workers finish what they have in work, and then this process. */
    async drain(): Promise<void> {
      isClosing = true;
      for (const worker of crew) worker.kill("SIGTERM");
      await Promise.all([...crew].map(({ exited }) => exited));
      await inside.drain();
      rmSync(socket, { force: true });
    },
  };
}

/** Where the workers find this process. What one that was killed has left there is removed. */
function socketIn({ DATA_DIR }: Config): string {
  const socket = join(DATA_DIR, "office.sock");
  if (Buffer.byteLength(socket) > 100) throw new Error("With WORKERS the name of DATA_DIR must be shorter: 88 bytes.");
  rmSync(socket, { force: true });
  return socket;
}

/** The port, found to be free: workers share theirs with anybody who asks for it, so they would not notice. */
async function freePort(config: Config, log: Log) {
  for (let tries = 1; ; tries++)
    try {
      const probe = listen(config, log, { fetch: () => new Response() });
      await probe.drain();
      return probe;
    } catch (error) {
      if (tries === 20) throw error; // workers of an office that was killed need a moment to notice
      await Bun.sleep(100);
    }
}
