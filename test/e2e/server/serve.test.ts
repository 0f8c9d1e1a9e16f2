import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { listenFailure } from "../../../src/http/listen";
import { freePort, postroom, startService, temporaryFolder } from "../../support/processes";
import { testTimeoutMs, within } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const subscribe = (url: string, email: string) =>
  fetch(`${url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email }),
  });

const mode = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);

test("the first start makes everything, for its user alone, and the second reuses it", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const first = await startService(dataDir);
  expect((await subscribe(first.url, "ada@example.com")).status).toBe(201);
  const { code, out } = await first.end();
  expect(code).toBe(0);
  for (const said of ["Postroom is running", first.url, dataDir, "simulated", "development storage"])
    expect(out).toContain(said);
  expect(out.match(/\/dashboard\/setup\?token=[\w-]{43}\n/g)).toHaveLength(1);
  expect([mode(dataDir), mode(dataDir, "secret"), mode(dataDir, "postroom.sqlite")]).toEqual(["700", "600", "600"]);
  expect(readdirSync(dataDir).filter((file) => file.endsWith("-wal"))).toEqual([]);
  const secret = readFileSync(join(dataDir, "secret"), "utf8");

  const second = await startService(dataDir);
  expect((await subscribe(second.url, "ada@example.com")).status).toBe(200);
  await second.end();
  expect(readFileSync(join(dataDir, "secret"), "utf8")).toBe(secret);
});

test("apart from the banner, every line is JSON, and the log contains no setup token", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path, { LOG_LEVEL: "debug" });
  await subscribe(service.url, "ada@example.com");
  const { out } = await service.end();
  const logged = out.split("\n").filter((line) => line.startsWith("{"));
  expect(logged.map((line) => JSON.parse(line).event)).toEqual(expect.arrayContaining(["request", "stopped"]));
  expect(logged.join("\n")).not.toContain("setup?token");
});

test("MANAGER_EMAIL and MANAGER_PASSWORD make the first manager, and no setup link is shown any more", async () => {
  using folder = temporaryFolder();
  const manager = { MANAGER_EMAIL: "ada@example.com", MANAGER_PASSWORD: "nine lamps on the quay" };
  const { out } = await (await startService(folder.path, manager)).end();
  expect(out).not.toContain("setup?token");
  expect(out).not.toContain(manager.MANAGER_PASSWORD);
  expect((await (await startService(folder.path)).end()).out).not.toContain("setup?token");
});

test("a second server on the same folder is refused in one sentence; after a kill -9 nothing is left to clean up", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  const second = await postroom(folder.path, ["serve"], { PORT: String(freePort()) });
  expect([second.code, second.err]).toEqual([
    1,
    "postroom: A server is already using this DATA_DIR. Stop it first, or set a different DATA_DIR.\n",
  ]);
  await service.end("SIGKILL");
  expect((await (await startService(folder.path)).end()).code).toBe(0);
});

test("a port that is in use is named, even if its owner would share it", async () => {
  using folder = temporaryFolder();
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", reusePort: true, fetch: () => new Response() });
  const production = { NODE_ENV: "production", APP_SECRET: "a-secret-of-at-least-32-characters" };
  const { code, err } = await postroom(folder.path, ["serve"], { PORT: String(other.port), ...production });
  expect([code, err]).toEqual([
    1,
    `postroom: PORT ${other.port} is already in use. Stop the other program, or set a different PORT.\n`,
  ]);
});

/**
 * No resolver is asked about these, so none can lead here: two addresses reserved for documentation, and an invalid
 * name.
 */
test.each(["192.0.2.1", "2001:db8::1", `${"a".repeat(64)}.invalid`])(
  "HOST %s, which is not of this machine, is named",
  async (HOST) => {
    using folder = temporaryFolder();
    const { code, err } = await postroom(folder.path, ["serve"], { PORT: String(freePort()), HOST });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^postroom: HOST \S+ is not an address of this machine \(E[A-Z]+\)\. Use one of its addresses, [^\n]*\n$/,
    );
    expect(err).toContain(`HOST ${HOST} `);
  },
);

/** With the machine's resolver, without one, and with one that answers every name. */
test.each(["ENOTFOUND", "EAI_AGAIN", "ENOENT", "EAGAIN", "EINVAL", "EADDRNOTAVAIL", "EAFNOSUPPORT", "ENEW"])(
  "a failed listen that is not about the port names HOST: %s",
  (code) => {
    const where = { HOST: "nowhere.example", PORT: 3000 };
    expect(listenFailure(code, where)).toStartWith("HOST nowhere.example is not an address of this machine");
    expect(listenFailure("EADDRINUSE", where)).toStartWith("PORT 3000 is already in use");
    expect(listenFailure("EACCES", where)).toStartWith("PORT 3000 is not allowed for this user");
  },
);

test.each<[string, string]>([
  ["PORT", "70000"],
  ["BASE_URL", "example.com"],
  ["APP_SECRET", "short"],
  ["TRUSTED_PROXIES", "everybody"],
  ["METRICS_TOKEN", "short"],
  ["MINIO_CAPACITY", "a lot"],
  ["LOG_LEVEL", "loud"],
  ["MAILER_API_KEY", "sk_test_123"],
  ["APP_SECRET_PREVIOUS", "abc"],
  ["NODE_ENV", "Prod"],
  ["BASE_URL", "https://x.example/sub/"],
])("a wrong %s stops the start with a sentence that names it and not its value", async (name, value) => {
  using folder = temporaryFolder();
  const { code, err, out } = await postroom(folder.path, ["serve"], { [name]: value });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(new RegExp(`^postroom: [^\\n]*${name} must [^\\n]*\\n$`));
  expect(err).not.toContain(value);
});

test("several wrong variables are a line each, and one that looks misspelt is named where people look", async () => {
  using folder = temporaryFolder();
  const { err } = await postroom(folder.path, ["serve"], { PORT: "x", LOG_LEVEL: "loud" });
  expect(err.split("\n").map((line) => line.split(" must ")[0])).toEqual([
    "postroom: The configuration is not valid:",
    "  PORT",
    "  LOG_LEVEL",
    "",
  ]);
  const { out } = await (await startService(folder.path, { BASEURL: "https://x.example" })).end();
  const problem = "BASEURL is not a variable of Postroom. Did you mean BASE_URL?";
  expect(out).toContain(`  Check      ${problem}\n`);
  expect(out).toContain(`"event":"configuration","problem":"${problem}"`);
});

/** A subscribe request of which only the head has arrived: the service asks for the rest. */
async function halfSent(port: number, body: string) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined); // the service may hang up
  const asked = new Promise((resolve) => socket.once("data", resolve));
  socket.write(
    `POST /api/newsletter/subscribe HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  expect(String(await within(asked, "100 Continue"))).toStartWith("HTTP/1.1 100");
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes.toString()));
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(answer)));
  return {
    async complete(): Promise<string> {
      socket.write(body);
      return within(closed, "the end of the answer");
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** Resolves once nothing is accepted there. */
async function refusal(url: string): Promise<void> {
  while (await fetch(`${url}/healthz`).catch(() => undefined)) await Bun.sleep(5);
}

test("SIGTERM lets the request in progress finish, accepts no new one, and exits with 0", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  const body = '{"email":"late@example.com"}';
  using request = await halfSent(service.port, body);
  const ended = service.end();
  await within(refusal(service.url), "a service that accepts no connection");
  expect(await request.complete()).toStartWith("HTTP/1.1 201");
  expect((await ended).code).toBe(0);
});

test("an idle connection does not delay the end", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  const idle = connect(service.port, "127.0.0.1");
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await within(new Promise((resolve) => idle.once("data", resolve)), "an answer");
  const { code, out } = await service.end("SIGINT");
  expect(code).toBe(0);
  expect(out).toContain('"event":"stopped"');
  expect(out).not.toContain('"event":"cut"'); // it did not wait until the deadline
});

test("a second signal ends it immediately, with 1", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  using _ = await halfSent(service.port, '{"email":"never@example.com"}');
  service.signal("SIGTERM");
  await within(refusal(service.url), "a service that accepts no connection");
  service.signal("SIGTERM");
  expect(await within(service.exited, "the end after a second signal")).toBe(1);
});

test("a SIGTERM to npm start is one to the service", async () => {
  using folder = temporaryFolder();
  const port = freePort();
  const npm = Bun.spawn(["npm", "start"], {
    cwd: join(import.meta.dir, "../../.."),
    env: { PATH: process.env.PATH ?? "", HOME: folder.path, DATA_DIR: folder.path, PORT: String(port) },
    stdout: "pipe",
    stderr: "ignore",
  });
  const out = npm.stdout.text();
  const answered = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
  while (!(await answered()) && npm.exitCode === null) await Bun.sleep(20); // it may be compiling
  expect(npm.exitCode).toBeNull();
  npm.kill("SIGTERM");
  expect(await within(npm.exited, "the end of npm start")).toBe(0);
  expect(await out).toContain('"event":"stopped"');
});
