/**
 * `npm run test:firefox [files]`: tests of the pages in a Firefox; without files, those that have passed there as a whole.
 * FIREFOX_PATH says which; else it is looked for. Where there is none, nothing is tested, and that is said.
 */
import { testTimeoutMs } from "./support/within";

const names = [
  "access api-keys archive brand broadcasts calendar charts clicks client commands consent contact dialogs docs",
  "early editor failed-requests follow from-posts keyboard late letters lists lost-session mdx-editor motion nodes",
  "own-page page-shapes palette posts projects publish save-bar sequences storage stored-text stories webhooks",
  "without-script",
];
const files = names.flatMap((line) => line.split(" ")).map((name) => `test/e2e/browser/${name}.test.ts`);
const path = process.env.FIREFOX_PATH ?? Bun.which("firefox") ?? Bun.which("firefox-esr");

/**
 * Paper, touch, forced colours, less motion and most of the looks that axe is run in are imitated by commands that no
 * Firefox with long-term support knows. Scrolling past fifty pictures jumps once by 38 px there, which is not mended.
 */
const impossible = [
  "axe",
  "on paper",
  "on a touch screen",
  "on a phone a file has its menu",
  "without motion",
  "in forced colours",
  "past fifty pictures",
  "is stamped when",
];

const isRunning = (command: string) => Bun.spawnSync([command, "--version"], { stdout: "inherit" }).success;

if (!path || !isRunning(path)) {
  console.log("SKIPPED: there is no Firefox here, so NOTHING was tested. Install firefox-esr, or set FIREFOX_PATH.");
} else {
  const args = Bun.argv.length > 2 ? Bun.argv.slice(2) : files;
  const isPossible = `^(?!.*(${impossible.join("|")}))`;
  const options = ["--preload", "./test/support/close-firefox.ts", "--timeout", `${testTimeoutMs}`, "-t", isPossible];
  const { exitCode } = Bun.spawnSync([process.execPath, "test", ...options, ...args], {
    cwd: `${import.meta.dir}/..`,
    env: { ...process.env, FIREFOX_PATH: path },
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exitCode = exitCode;
}

export {};
