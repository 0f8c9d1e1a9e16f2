import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { testService } from "../service";
import { launch } from "../browser";
import { smallestPart } from "../storage/storage";
import { waitTimeoutMs } from "../within";

const browser = await launch();
process.on("exit", () => void browser.close());

/**
 * Over BiDi, nothing turns off the scripts of a page, and Playwright does not say so: in a Firefox, it is the page that is
 * not allowed to run any.
 */
const scriptless = "x-without-script";
const sandbox =
  "sandbox allow-forms allow-same-origin allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-top-navigation";

function withoutScript(request: Request, response: Response): Response {
  if (process.env.FIREFOX_PATH && request.headers.has(scriptless))
    response.headers.append("content-security-policy", sandbox);
  return response;
}

/** How an answer travels: late, or in pieces. */
export type Deliver = (
  answer: (request: Request) => Response | Promise<Response>,
  request: Request,
) => Response | Promise<Response>;

type Options = {
  deliver?: Deliver;
  /** A file, instead of a database in memory. */
  database?: string;
  /** Where the clock stands; a node that stores files has the real time. */
  time?: number;
  env?: Record<string, string>;
  /** Milliseconds that a call to a node may take, if not ten seconds. */
  deadline?: number;
};

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * A whole service on a socket, and browsers that are signed in to it. The CSP is on; `complaints` collects what a page
 * reports against it, throws, or writes to the console as an error.
 */
export async function openStage({
  deliver = (answer, request) => answer(request),
  database,
  time = Date.now(),
  deadline,
  env = {},
}: Options = {}) {
  // The port is taken first and kept: a free one that is released may belong to another process when it is needed
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0, // as in src/http/listen.ts: a slow machine is not idle
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: async (request, server) =>
      withoutScript(
        request,
        await deliver((request) => service.app.handle(request, server.requestIP(request)?.address), request),
      ),
  });
  const port = String(server.port);
  const service = await testService({ BASE_URL: `http://localhost:${port}`, PORT: port, ...env }, database, {
    ...(deadline && { deadline }),
    part: smallestPart,
  });
  service.clock.time = time;
  const owner = await service.signIn();
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];

  async function visitor(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      baseURL: service.config.BASE_URL,
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      ...options,
      ...(options.javaScriptEnabled === false && { extraHTTPHeaders: { [scriptless]: "yes" } }),
    });
    contexts.push(context);
    context.setDefaultTimeout(waitTimeoutMs);
    context.on("weberror", (problem) => {
      const { message } = problem.error();
      if (!isExpected.test(message)) complaints.push(`thrown: ${message}`);
    });
    context.on("console", (message) => {
      if (message.type() === "error" && !isExpected.test(message.text())) complaints.push(message.text());
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

/**
 * Chromium writes a line for each 4xx and 5xx that a page was answered on purpose. Both write one for each request that is
 * still under way when the page is left: Chromium because its frame stays (`features` in ../browser.ts), Firefox for fonts,
 * too, and for each live connection that a test cuts.
 */
const isExpected = RegExp(
  [
    "^Failed to load resource",
    "Failed to fetch",
    "NetworkError when attempting to fetch resource",
    "^download failed .* status=2152398850",
    "^Firefox can’t establish a connection to the server at \\S+/dashboard/live\\?",
  ].join("|"),
);

/**
 * Resolves when nothing on the page is in progress: no request, no swap, no transition. An element that fades in has no
 * contrast yet.
 *
 * @throws saying what is still in progress when waiting is pointless
 */
export async function settled(page: Page): Promise<void> {
  const inProgress = await page.evaluate<string | undefined>(`(async () => {
    const moves = () => document.getAnimations().filter((each) => each.playState === "running");
    const swaps = () => [...document.querySelectorAll(".htmx-request, .htmx-swapping, .htmx-settling")];
    const frame = () => new Promise(requestAnimationFrame);
    const wait = async () => {
      do {
        await frame().then(frame); // what was just done begins with the next frame
        await Promise.allSettled(moves().map((each) => each.finished));
      } while (swaps().length || moves().length);
    };
    const end = new Promise((resolve) => setTimeout(resolve, ${waitTimeoutMs}, "late"));
    if ((await Promise.race([wait(), end])) !== "late") return;
    const moving = moves().map((each) => each.animationName ?? each.transitionProperty ?? "an animation");
    return [document.visibilityState, ...moving, ...swaps().map((each) => each.cloneNode().outerHTML)].join("; ");
  })()`);
  if (inProgress) throw new Error(`The page does not come to rest: ${inProgress}`);
}

export const cookieOf = (pair: string, url: string) => {
  const [name = "", value = ""] = pair.split("=");
  return { name, value, url: url.replace("http:", "https:"), secure: true, httpOnly: true, sameSite: "Lax" as const };
};
