import { expect, test } from "bun:test";
import { curl } from "./curl";

test("a failing request is printed as a line that sends the same bytes", async () => {
  const seen: { method: string; path: string; key: string | null; body: number[] }[] = [];
  using server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = [...(await request.bytes())];
      seen.push({ method: request.method, path: pathname + search, key: request.headers.get("x-api-key"), body });
      return new Response();
    },
  });
  const shot = {
    method: "POST",
    path: "/api/contact?q=%27$HOME",
    headers: { "x-api-key": 'it\'s \\ "quoted"' },
    body: new Uint8Array([0x7b, 0xff, 0x27, 0x5c, 0x0a, 0x80, 0x7d]),
  };
  const line = curl(shot).replace("http://localhost:3000", `http://127.0.0.1:${server.port}`);
  await Bun.spawn(["bash", "-c", line], { stdout: "ignore", stderr: "ignore" }).exited;
  expect(seen).toEqual([{ method: "POST", path: shot.path, key: shot.headers["x-api-key"], body: [...shot.body] }]);
});
