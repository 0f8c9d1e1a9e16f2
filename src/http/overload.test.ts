import { afterAll, expect, test } from "bun:test";
import { nextPeer, testService } from "../../test/support/service";
import { look } from "../../test/support/look";

const { app, db, post } = await testService();
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.handle(request, nextPeer()) });
afterAll(() => server.stop(true));

const crowd = 400;
const subscribe = (email: string) => post("/api/newsletter/subscribe", { email });

/** Sends as many at the same time as the service never handles. */
const rush = (round: number) =>
  Promise.all(Array.from({ length: crowd }, (_, i) => subscribe(`${round}-${i}@example.com`)));

test("a request to an overloaded service gets Retry-After, and nothing is stored", async () => {
  const answers = await rush(1);
  const served = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status === 503);
  expect(served.length).toBeGreaterThan(30);
  expect(served.length + refused.length).toBe(crowd);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toMatchObject({ success: false, error: { code: "OVERLOADED" } });
  }
  const { kept } = (await look<{ kept: number }>(db, "select count(*) kept from subscribers"))[0] ?? {};
  expect(kept).toBe(served.length);
  expect((await subscribe("after@example.com")).status).toBe(201);
});

test("a page of the dashboard that is refused says what to do", async () => {
  const request = () => new Request("http://localhost:3000/dashboard/posts", { headers: { accept: "text/html" } });
  const answers = await Promise.all(Array.from({ length: crowd }, () => app.handle(request())));
  const pages = await Promise.all(answers.filter(({ status }) => status === 503).map((answer) => answer.text()));
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages)
    expect(page).toContain("Nothing was changed. Reload this page, which also sends a form again.");
});

test("monitoring and unsubscribing are admitted under overload", async () => {
  const rushing = rush(2);
  const paths = [
    "/healthz",
    "/readyz",
    "/metrics",
    "/api/newsletter/unsubscribe?token=none",
    "/api/newsletter/leave?b=1",
  ];
  const answers = await Promise.all(paths.map((path) => app.handle(new Request(`http://localhost:3000${path}`))));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
  expect((await rushing).some(({ status }) => status === 503)).toBe(true);
});

test("a body that no one read does not spoil the next request on its connection", async () => {
  const body = JSON.stringify({ email: "wire@example.com", name: "x".repeat(90) });
  const request = `POST /api/newsletter/subscribe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const seen: string[] = [];
  const lines = Array.from({ length: crowd }, () => conversation(request, 3, seen));
  await Promise.all(lines);
  expect(seen.length).toBe(3 * crowd);
  expect([...new Set(seen)].sort()).toEqual(["200", "201", "503"]);
});

/** Sends the same request `times` times over one connection, each after the previous response. Records the statuses. */
const conversation = (request: string, times: number, seen: string[]) =>
  new Promise<void>((resolve, reject) => {
    let [left, text] = [times, ""];
    void Bun.connect({
      hostname: "127.0.0.1",
      port: server.port ?? 0,
      socket: {
        open: (socket) => void socket.write(request),
        data(socket, chunk) {
          text += chunk.toString("latin1");
          const end = text.indexOf("\r\n\r\n");
          const length = Number(/^content-length: (\d+)$/im.exec(text)?.[1]);
          if (end < 0 || text.length < end + 4 + length) return;
          seen.push(text.slice(9, 12));
          text = text.slice(end + 4 + length);
          if (--left) socket.write(request);
          else socket.end();
        },
        close: () => (left ? reject(new Error(`closed ${left} answers early`)) : resolve()),
      },
    }).catch(reject);
  });
