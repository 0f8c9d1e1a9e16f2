import { expect } from "bun:test";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { testService } from "../../support/service";
import { launch } from "../../support/browser";

const browser = await launch();
process.on("exit", () => void browser.close());

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * A whole service on a socket, and browsers that are signed in to it. The CSP is on; whatever a page reports against
 * it, throws, or writes to the console as an error is collected in `complaints`.
 */
export async function openStage() {
  const port = await freePort();
  const service = await testService({ BASE_URL: `http://localhost:${port}`, PORT: String(port) });
  service.clock.time = Date.now();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, server) => service.app.handle(request, server.requestIP(request)?.address),
  });
  const owner = await service.signIn();
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];

  async function visitor(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      baseURL: service.config.BASE_URL,
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      ...options,
    });
    contexts.push(context);
    context.on("weberror", (problem) => complaints.push(`thrown: ${problem.error().message}`));
    context.on("console", (message) => {
      // Chromium writes a line for each 4xx and 5xx that a page was answered on purpose
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text());
    });
    return context;
  }

  async function manager(options: BrowserContextOptions = {}) {
    const context = await visitor(options);
    await context.addCookies([cookieOf(owner.headers.cookie, service.config.BASE_URL)]);
    return context;
  }

  /** A page of the dashboard as the owner sees it. */
  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await manager(options)).newPage();
    await page.goto(path);
    return page;
  }

  return {
    ...service,
    owner,
    visitor,
    manager,
    open,
    complaints,
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await server.stop(true);
    },
  };
}

/** Resolves when nothing on the page moves any more. What fades in has no contrast yet. */
export async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(100); // a swap settles, a transition begins
  await page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => 0)");
}

const patience = 15_000; // milliseconds; a busy machine is ten times slower than an idle one

/** Polls, fifteen seconds at most: the page's policy does not let Playwright wait inside of it. */
export async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; await Bun.sleep(50)) if (await isTrue()) return;
  throw new Error(`Not so after ${patience} ms: ${isTrue}`);
}

/** Waits until a value is as expected, or matches, fifteen seconds at most; then fails with the last one. */
export async function eventually(value: () => unknown, expected: unknown): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; await Bun.sleep(50))
    try {
      return expect(await value()).toEqual(expected);
    } catch {} // not yet, or in between two pages
  expect(await value()).toEqual(expected);
}

/** The id of what has the focus, else its name. */
export const focused = (page: Page) =>
  page.evaluate("document.activeElement.id || document.activeElement.tagName") as Promise<string>;

/** Waits until the control with this id has the focus, fifteen seconds at most, and says what has it then. */
export async function focusOn(page: Page, id: string): Promise<string> {
  await eventually(() => focused(page), id).catch(() => undefined);
  return focused(page);
}

/** What has the focus when nothing changes any more. The body is believed only when it stays so. */
export async function focusKept(page: Page): Promise<string> {
  await settled(page);
  await eventually(() => focused(page), expect.not.stringMatching(/^BODY$/)).catch(() => undefined);
  return focused(page);
}

export const cookieOf = (pair: string, url: string) => {
  const [name = "", value = ""] = pair.split("=");
  return { name, value, url: url.replace("http:", "https:"), secure: true, httpOnly: true, sameSite: "Lax" as const };
};

async function freePort(): Promise<number> {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return port ?? 0;
}
