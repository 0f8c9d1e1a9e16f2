import { type Browser, chromium, firefox } from "playwright-core";
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { waitTimeoutMs, within } from "./within";

/** Chromium without windows: the same pages for a third of the processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"];
const whole = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const modules = join(import.meta.dir, "../../node_modules");
/**
 * Since a page gets a new frame with each document (RenderDocument), Chromium makes a world more for each than for the
 * previous one: that which Playwright asks for, and all those before. The other is Playwright's own, which this replaces.
 */
const features = "--enable-features=CDPScreenshotNewSurface,RenderDocument:level/crashed-frame";
const flags = ["--headless", "--no-sandbox", "--disable-gpu", features];

/** What Playwright sends its commands with. It gives many of them, such as `evaluate` and `newPage`, no time limit. */
type Frame = { file: string; line: number };
type Channel = { _type: string; isClosed?: () => boolean };
type Send = (object: Channel, method: string, params: unknown, options: { frames?: Frame[] }) => Promise<unknown>;
type Delegate = { closePage(runBeforeUnload: boolean): Promise<void> };
type Connection = { sendMessageToServer: Send; toImpl(page: unknown): { delegate: Delegate } };
const { _connection: connection } = chromium as unknown as { _connection: Connection };
const send = connection.sendMessageToServer.bind(connection);

/** What closes this open page, without knowing whether that worked. */
export const delegateOf = (page: unknown): Delegate => connection.toImpl(page).delegate;
const closeAgainMs = 200;

/**
 * Chromium says that it closes a page, and does not, if a navigation is committed at that moment (crbug.com/536385539):
 * it is asked until the page is closed.
 */
function close(page: Channel, sent: Promise<unknown>): Promise<unknown> {
  const delegate = delegateOf(page);
  const timer = setInterval(() => void delegate.closePage(false).catch(() => undefined), closeAgainMs);
  return sent.finally(() => clearInterval(timer));
}

/** A little more than the commands that have a limit, which say more about what they waited for. */
const commandTimeoutMs = waitTimeoutMs + 10_000;

/** Lets no command wait until the test's own end, which would not say which one it was. Returns what undoes that. */
export function limitCommands(timeoutMs = commandTimeoutMs): () => void {
  connection.sendMessageToServer = (object, method, params, options) => {
    const [caller] = options.frames ?? [];
    const place = caller ? `, sent in ${caller.file}:${caller.line}` : "";
    const sent = send(object, method, params, options);
    const isClosing = object._type === "Page" && method === "close" && !object.isClosed?.();
    const answer = isClosing ? close(object, sent) : sent;
    return within(answer, `a response to ${object._type}.${method}${place}`, timeoutMs);
  };
  return () => limitCommands();
}
limitCommands();

/** Which Firefox runs the tests instead, driven by WebDriver BiDi (`npm run test:firefox`). */
const firefoxPath = process.env.FIREFOX_PATH;

/** A Chromium for the tests of a process. The caller closes it. CHROMIUM_PATH says which; test/run.ts sets it. */
export async function launch(): Promise<Browser> {
  if (firefoxPath) return launchFirefox(firefoxPath);
  const executablePath = await findBrowser();
  if (!executablePath) throw new Error("There is no Chromium. Run the tests with npm test, or set CHROMIUM_PATH.");
  return chromium.launch({ executablePath, args: flags, ignoreDefaultArgs: hasSharedMemory() ? [inFiles] : [] });
}

/** Playwright asks every Firefox to imitate a colour scheme, which one with long-term support does not know. */
const unknownToFirefox = "emulation.setMediaFeaturesOverride";

/**
 * Playwright's script for BiDi sets the value of a field, which adds to that of a field for an email address or a number
 * instead of replacing it, and cannot be undone. The browser's own command edits as a keyboard does.
 */
const insertsText = "window.__pw_bidiInsertText(";
const insertText = `(text) => {
  let element = document.activeElement;
  while (element?.shadowRoot) element = element.shadowRoot.activeElement;
  if (element?.localName === "iframe") return element; // Playwright goes on in there
  document.execCommand("insertText", false, text);
}`;

type Argument = { type: string; value?: unknown };
const asEdit = (argument: Argument): Argument =>
  String(argument.value).includes(insertsText) ? { ...argument, value: insertText } : argument;

const firefoxes: Browser[] = [];

/** Ends what `launch` started. */
export const closeFirefoxes = () => Promise.all(firefoxes.map((browser) => browser.close()));

async function launchFirefox(executablePath: string): Promise<Browser> {
  const firefoxUserPrefs = {
    "ui.useOverlayScrollbars": 1, // as in Chromium: they take no room beside the text
    "ui.primaryPointerCapabilities": 6, // a mouse, which a machine without windows does not have
    "dom.events.testing.asyncClipboard": true, // what was copied is read without a question
    "dom.confirm_repost.testing.always_accept": true, // a reload sends a form again, as in Chromium, and asks nobody
    "accessibility.ARIAElementReflection.enabled": false, // Firefox 153 crashes if two worlds read what labels an element
  };
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath, firefoxUserPrefs });
  firefoxes.push(browser);
  const { _browserSession: session } = connection.toImpl(browser) as unknown as Bidi;
  const prototype: BidiSession = Object.getPrototypeOf(session);
  const { send } = prototype;
  prototype.send = function (method, params) {
    if (method === unknownToFirefox) return Promise.resolve({});
    if (method !== "script.callFunction" || !params.arguments) return send.call(this, method, params);
    return send.call(this, method, { ...params, arguments: params.arguments.map(asEdit) });
  };
  return browser;
}

type BidiSession = { send(method: string, params: { arguments?: Argument[] }): Promise<unknown> };
type Bidi = { _browserSession: BidiSession };

/**
 * Playwright has Chromium keep what its processes share in files of /tmp, because containers often have only 64 MB of
 * shared memory. Where there is enough, pages take less processor time without that.
 */
const inFiles = "--disable-dev-shm-usage";
function hasSharedMemory(): boolean {
  const folder = "/dev/shm";
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= 2 ** 30;
}

/**
 * Returns the path of a Chromium that runs: an installed one or, as root with apt-get, one that is installed now.
 *
 * @throws saying what to do if there is none
 */
export async function ensureBrowser(say: (line: string) => void): Promise<string> {
  const found = await findBrowser();
  if (found) return found;
  if (process.getuid?.() === 0 && Bun.which("apt-get")) {
    say("No Chromium here: installing one with apt-get.");
    runs(["apt-get", "update"]) && runs(["apt-get", "install", "-y", "--no-install-recommends", "chromium"]);
    const fresh = await findBrowser();
    if (fresh) return fresh;
  }
  throw new Error("The browser tests need Chromium. Install chromium or google-chrome, or set CHROMIUM_PATH to one.");
}

/** The configured one, one without windows, the one from npm, or any. */
const findBrowser = async (): Promise<string | undefined> =>
  working([process.env.CHROMIUM_PATH]) ?? working(shells) ?? working([await fromNpm()]) ?? working(whole);

const working = (names: (string | undefined)[]): string | undefined =>
  names.map((name) => name && (existsSync(name) ? name : Bun.which(name))).find((path) => path && isWorking(path)) ||
  undefined;

/**
 * Where the one from npm is unpacked at its first use: in a folder of our own, because other users could replace a
 * program in the temporary one. It is for Linux on x64, and libraries may still be missing. 143 is the newest version
 * for Node 20 (from 20.11); 133 does not keep a `__Host-` cookie over plain http.
 */
async function fromNpm(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const { version }: { version: string } = await Bun.file(`${modules}/@sparticuz/chromium/package.json`).json();
  const unpacked = `${modules}/.cache/chromium-${version}`;
  const path = `${unpacked}/chromium`;
  if (existsSync(path)) return path;
  const { TMPDIR } = process.env; // is where it unpacks to
  const draft = `${unpacked}-${process.pid}`; // so that no one finds an incomplete one
  try {
    mkdirSync(draft, { recursive: true });
    process.env.TMPDIR = draft;
    const { default: packed } = await import("@sparticuz/chromium");
    await packed.executablePath();
    renameSync(draft, unpacked);
  } catch {
    // the disk is full or may not be written to, or another process was first
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(draft, { recursive: true, force: true });
  }
  return existsSync(path) ? path : undefined;
}

const isWorking = (path: string) => runs([path, "--version"]);

const runs = (command: string[]) =>
  Bun.spawnSync(command, {
    stdout: "ignore",
    stderr: "ignore",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).success;
