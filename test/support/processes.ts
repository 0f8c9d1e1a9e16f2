import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testTimeoutMs, within } from "./within";

type Env = Record<string, string>;

/** Longer than anything takes in a test, and a little shorter than one may take, whose own end says nothing. */
const processTimeoutMs = process.env.NODE_ENV === "test" ? testTimeoutMs - 20_000 : 4 * 3_600_000;

const root = join(import.meta.dir, "../..");

/**
 * With the variable POSTROOM_EXECUTABLE, of a test or of the person who runs the tests, that executable is tested
 * (`npm run build`).
 */
const executableIn = (env: Env) => env.POSTROOM_EXECUTABLE ?? process.env.POSTROOM_EXECUTABLE;

/** What the usage calls the program that is tested. */
export const programName = process.env.POSTROOM_EXECUTABLE ? "postroom" : "npm run postroom --";

function command(args: string[], env: Env): string[] {
  const executable = executableIn(env);
  if (executable) return [executable, ...args];
  compile();
  return [process.execPath, "--no-env-file", "src/boot/start.ts", ...args];
}

let isCompiled = false;
/** Compiles the program before its first start, which would say so on stderr. */
function compile(): void {
  if (!isCompiled) Bun.spawnSync([process.execPath, "src/boot/compile.ts"], { cwd: root });
  isCompiled = true;
}

/** A folder for one test. `using` removes it with everything in it. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "postroom-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Contains nothing of the environment of the person who runs the tests, nor of their .env file. */
const options = (dataDir: string, env: Env) => ({
  cwd: executableIn(env) ? tmpdir() : root,
  env: { PATH: process.env.PATH ?? "", HOME: tmpdir(), TZ: "UTC", DATA_DIR: dataDir, ...env },
});

const banner = "Postroom is running.";

/** Runs `postroom …args` to its end. @throws if it is a service instead that goes on */
export async function postroom(dataDir: string, args: string[], env: Env = {}, stdin = "") {
  const child = Bun.spawn(command(args, env), {
    ...options(dataDir, env),
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const name = `postroom ${args.join(" ")}`;
  const serving = Promise.withResolvers<never>();
  const refuse = () => serving.reject(new Error(`${name} serves, with ${JSON.stringify(env)}, and should have ended`));
  const ended = Promise.all([textOf(child.stdout, banner, refuse), child.stderr.text(), child.exited]);
  try {
    const [out, err, code] = await within(
      Promise.race([ended, serving.promise]),
      `the end of ${name}`,
      processTimeoutMs,
    );
    return { out, err, code };
  } finally {
    child.kill("SIGKILL");
  }
}

/** Starts `postroom …args`, and resolves when it has printed this text, on stdout or stderr. */
export async function postroomUntil(text: string, dataDir: string, args: string[], env: Env = {}) {
  const child = Bun.spawn(command(args, env), { ...options(dataDir, env), stdout: "pipe", stderr: "pipe" });
  const seen = Promise.withResolvers<void>();
  const printed = Promise.all([child.stdout, child.stderr].map((stream) => textOf(stream, text, seen.resolve)));
  void printed.then(([, err]) => seen.reject(new Error(err)));
  await within(seen.promise, `“${text}” of postroom ${args.join(" ")}`, processTimeoutMs);
  return {
    async ended() {
      const [, err = ""] = await printed;
      return { code: await child.exited, err };
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Runs `postroom …args`, and kills it with SIGKILL after some milliseconds. Returns whether it had ended by then. */
export async function postroomKilled(ms: number, dataDir: string, args: string[], env: Env = {}): Promise<boolean> {
  const child = Bun.spawn(command(args, env), { ...options(dataDir, env), stdio: ["ignore", "ignore", "ignore"] });
  await Promise.race([child.exited, Bun.sleep(ms)]);
  child.kill("SIGKILL");
  await child.exited;
  return child.signalCode === null;
}

/** Runs `postroom …args` to its end at a terminal. Returns what it shows. */
export async function postroomOnTerminal(dataDir: string, args: string[]): Promise<string> {
  const shown: Buffer[] = [];
  const data = (_: unknown, bytes: Uint8Array) => void shown.push(Buffer.from(bytes));
  const ended = Promise.withResolvers<void>();
  const terminal = { cols: 200, rows: 50, data, exit: () => ended.resolve() };
  const child = Bun.spawn(command(args, {}), { ...options(dataDir, {}), terminal });
  await within(Promise.all([child.exited, ended.promise]), `the end of postroom ${args.join(" ")}`, processTimeoutMs);
  return Buffer.concat(shown).toString();
}

/** Starts `postroom serve` on a free port, or on this one, and waits until it responds. */
export async function startService(dataDir: string, env: Env = {}, port?: number) {
  if (port) return serveOn(port, dataDir, env);
  // A port that was free may be taken by another test process before the service starts
  for (let tries = 1; ; tries++)
    try {
      return await serveOn(freePort(), dataDir, env);
    } catch (problem) {
      if (tries === 3 || !/PORT \d+ is already in use/.test(String(problem))) throw problem;
    }
}

async function serveOn(port: number, dataDir: string, env: Env) {
  const startedAt = performance.now();
  const child = Bun.spawn(command(["serve"], env), {
    ...options(dataDir, { PORT: String(port), ...env }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const url = `http://127.0.0.1:${port}`;
  const listening = Promise.withResolvers<void>();
  const printed = [textOf(child.stdout, banner, listening.resolve), child.stderr.text()] as const;
  let milliseconds = 0;
  async function ready(): Promise<void> {
    while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok && child.exitCode === null) await Bun.sleep(2);
    milliseconds = performance.now() - startedAt;
    // Who answered may be the service of another test process, which took the port after we had found it free
    await Promise.race([listening.promise, child.exited.then(() => Promise.reject(new Error("it exited")))]);
  }
  await within(ready(), "a service that is ready", processTimeoutMs).catch(async ({ message }: Error) => {
    child.kill("SIGKILL");
    throw new Error(`It did not start, ${message}: ${(await Promise.all(printed)).join("")}`);
  });

  /** Ends it and returns what it printed. */
  async function end(signal: "SIGTERM" | "SIGINT" | "SIGKILL" = "SIGTERM") {
    child.kill(signal);
    const ended = Promise.all([child.exited, ...printed]);
    const [code, out, err] = await within(ended, `the end of the service after ${signal}`, processTimeoutMs);
    return { code, out, err };
  }
  return {
    url,
    port,
    pid: child.pid,
    /** From the start of the process to the first answer. */
    milliseconds,
    end,
    /** Leaves no service behind a test that fails before its end. */
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
    },
    signal: (signal: "SIGTERM" | "SIGINT") => child.kill(signal),
    exited: child.exited,
  };
}

/** Reads a stream to its end, and calls back when it contains this text. */
async function textOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  awaited: string,
  seen: () => void,
): Promise<string> {
  let [text, isSeen] = ["", false];
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (!isSeen && (isSeen = text.includes(awaited))) seen();
  }
  return text;
}

/** Below those that systems give to whoever asks for any, as all other servers and clients of the tests do. */
const ownPorts = { from: 20_000, count: 10_000 };

/** A port that is free at this moment, and not likely to be taken at the next. */
export function freePort(): number {
  for (;;) {
    const port = ownPorts.from + Math.floor(Math.random() * ownPorts.count);
    try {
      void Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response() }).stop(true);
      return port;
    } catch {} // someone has it
  }
}
