import type { Subprocess } from "bun";
import { existsSync, readFileSync } from "node:fs";
import { commandOf } from "../../../db/lib/own-process";
import type { PictureFacts } from "../../../db/storage/pictures";
import type { Answer } from "./child";
import { maxPictureBytes, type Size } from "./formats";
import { type Frame, frameOf, framesIn } from "./frames";

/** What became of a picture: what it is, and the size that was wanted, if one can be made. */
type Read = { outcome: "read"; facts: PictureFacts; bytes: Buffer<ArrayBuffer>; standsOut?: number | undefined };
export type Outcome =
  | Read
  /** The process took too long, or died of it. */
  | { outcome: "killed" }
  /** The process did not start. The picture has no part in that. */
  | { outcome: "unstarted" }
  /** Nothing on this machine can read pictures. */
  | { outcome: "missing"; why: string };

type Child = {
  process: Subprocess<"pipe", "pipe", "ignore">;
  answers: AsyncGenerator<Frame<Answer>>;
  isReady: boolean;
};

const idleMs = 30_000;
/** On a busy machine, where the process comes last, it may take minutes to start, and again for one picture. */
const maxWaitMs = 5 * 60_000;
const memoryKiB = 1_000_000;

/**
 * Linux keeps it to that memory, of which Bun reserves two fifths and uses little; other systems have no such limit for
 * one process. Of a higher limit Bun would reserve more. A limit of addresses (`ulimit -v`) leaves too little for an
 * AVIF of 9 megapixels.
 */
const limited = (command: string[]) =>
  process.platform === "linux" && existsSync("/bin/sh")
    ? ["/bin/sh", "-c", `ulimit -d ${memoryKiB}; exec "$@"`, "sh", ...command]
    : command;

/**
 * The process that reads pictures (child.ts). It is started with the first one, and ends when there is nothing to do.
 * One job at a time; whoever calls waits for the previous one.
 */
export class PictureProcess {
  private child: Child | undefined;
  private missing: string | undefined;
  private idle: Timer | undefined;

  /** @param jobMs milliseconds of processor time that one picture may take */
  constructor(private readonly jobMs = 10_000) {}

  /** @param size null: only what it is @param ground a colour from which it may stand out, #rrggbb */
  async read(bytes: Uint8Array, size: Size | null, ground?: string): Promise<Outcome> {
    if (this.missing !== undefined) return { outcome: "missing", why: this.missing };
    clearTimeout(this.idle);
    const child = this.child ?? this.start();
    let outcome: Outcome["outcome"] = "unstarted";
    let release = killAfter(child, maxWaitMs);
    try {
      const { missing } = child.isReady ? {} : await greeting(child);
      if (missing !== undefined) return { outcome: "missing", why: (this.missing = missing) };
      release();
      release = killAfter(child, this.jobMs);
      outcome = "killed";
      await send(child, frameOf({ size, ground }, bytes));
      const { value } = await child.answers.next();
      if (value?.head.is === "done") {
        const { facts, standsOut } = value.head;
        return { outcome: "read", facts, standsOut, bytes: value.bytes };
      }
    } catch {
      // its end, or words that are none
    } finally {
      release();
      this.idle = setTimeout(() => this.close(), idleMs);
      this.idle.unref();
    }
    child.process.kill("SIGKILL");
    this.child = undefined;
    return { outcome };
  }

  private start(): Child {
    const process = Bun.spawn(limited(commandOf("src/storage/pictures/child.ts")), {
      env: {},
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    return (this.child = { process, answers: framesIn<Answer>(process.stdout, maxPictureBytes), isReady: false });
  }

  /** It ends when it has nothing more to read. */
  close(): void {
    clearTimeout(this.idle);
    void this.child?.process.stdin.end();
    this.child = undefined;
  }
}

/**
 * Kills the process once it has had so much of the processor, or after `maxWaitMs`: how long that takes says more about
 * what else the machine does. Returns a function that lets it live.
 */
function killAfter({ process }: Child, ms: number): () => void {
  const before = processorMs(process.pid);
  const overdue = setTimeout(() => process.kill("SIGKILL"), maxWaitMs);
  let timer = setTimeout(check, ms);
  function check() {
    const left = ms - (processorMs(process.pid) - before);
    if (left > 0) timer = setTimeout(check, Math.max(left, 100));
    else process.kill("SIGKILL");
  }
  return () => [overdue, timer].forEach(clearTimeout);
}

const tickMs = 10; // the unit of /proc on Linux

/** Milliseconds of the processor that it has had. Infinite on other systems, where all time that passes counts. */
function processorMs(pid: number): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ");
    const [user = NaN, system = NaN] = fields.split(" ").slice(11, 13).map(Number);
    return (user + system) * tickMs;
  } catch {
    return Infinity;
  }
}

/** Waits until it has loaded the library, which it may not find. @throws if it ends without a word */
async function greeting(child: Child): Promise<{ missing?: string }> {
  const { value } = await child.answers.next();
  if (value?.head.is === "missing") return { missing: value.head.why };
  if (value?.head.is !== "ready") throw new Error("The process for pictures did not start");
  child.isReady = true;
  return {};
}

async function send({ process: { stdin } }: Child, frame: Buffer): Promise<void> {
  stdin.write(frame);
  await stdin.flush();
}
