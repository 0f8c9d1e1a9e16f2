import { type Browser, chromium } from "playwright-core";
import { existsSync } from "node:fs";

const usual = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const flags = ["--headless", "--no-sandbox", "--disable-gpu"];

/** A Chromium for the tests of a process. The caller closes it. CHROMIUM_PATH says which; test/run.ts sets it. */
export async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH || installed();
  if (!executablePath) throw new Error("There is no Chromium. Run the tests with npm test, or set CHROMIUM_PATH.");
  return chromium.launch({ executablePath, args: flags });
}

/**
 * The path of a Chromium that runs: one that is there; else, as root with apt-get, one that is installed now; else the
 * one that npm brought.
 *
 * @throws saying what to do, when there is none
 */
export async function ensureBrowser(say: (line: string) => void): Promise<string> {
  const found = installed();
  if (found) return found;
  if (process.getuid?.() === 0 && Bun.which("apt-get")) {
    say("No Chromium here: installing one with apt-get.");
    runs(["apt-get", "update"]) && runs(["apt-get", "install", "-y", "--no-install-recommends", "chromium"]);
    const fresh = installed();
    if (fresh) return fresh;
  }
  say("No Chromium here: unpacking the one from npm.");
  const packed = await fromNpm();
  if (packed) return packed;
  throw new Error("The browser tests need Chromium. Install chromium or google-chrome, or set CHROMIUM_PATH to one.");
}

function installed(): string | undefined {
  return [process.env.CHROMIUM_PATH, ...usual]
    .map((name) => name && (existsSync(name) ? name : Bun.which(name)))
    .find((path): path is string => Boolean(path) && isWorking(path as string));
}

/** It has its own name on a machine without the libraries it needs: asking for the version tells. */
async function fromNpm(): Promise<string | undefined> {
  const { default: packed } = await import("@sparticuz/chromium");
  const path = await packed.executablePath();
  return isWorking(path) ? path : undefined;
}

const isWorking = (path: string) => runs([path, "--version"]);

const runs = (command: string[]) =>
  Bun.spawnSync(command, {
    stdout: "ignore",
    stderr: "ignore",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).success;
