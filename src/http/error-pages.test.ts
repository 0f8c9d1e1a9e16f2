import { expect, test } from "bun:test";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";

const linksIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = ""]) => href);

test("/ leads to the dashboard, and from there to the sign-in; for HEAD and for managers too", async () => {
  const { get, send, signIn } = await testService();
  for (const method of ["GET", "HEAD"]) {
    const answer = await send("/", { method });
    expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([303, "/dashboard", ""]);
  }
  expect((await get("/dashboard")).headers.get("location")).toStartWith("/dashboard/sign-in");
  const manager = await signIn();
  expect((await manager.get("/")).headers.get("location")).toBe("/dashboard");
  expect((await manager.get("/dashboard")).status).toBe(200);
});

test("no error page links to itself, and every way back leads to something that is there", async () => {
  const service = await testService();
  const { headers } = await service.signIn();
  const routes = await service.app.routes();
  const paths = new Set(["/nothing", "/dashboard/nothing", ...routes.map(({ path }) => path.replace(/:\w+|\*/g, "x"))]);
  const asked: RequestInit[] = [
    ...[{}, headers].flatMap((headers) => ["GET", "POST", "PATCH"].map((method) => ({ method, headers }))),
    { method: "POST", body: "x".repeat(64 * 1024 + 1) },
  ];
  const problems: string[] = [];
  const statuses = new Set<number>();
  for (const path of paths)
    for (const init of asked) {
      const answer = await service.send(path, init);
      const html = await answer.text();
      if (answer.status < 400 || !html.includes('class="letter"')) continue;
      statuses.add(answer.status);
      for (const href of linksIn(html)) {
        const { pathname } = new URL(href, `http://localhost:3000${path}`);
        if (pathname === path.replace(/(.)\/$/, "$1")) problems.push(`${init.method} ${path} links to itself`);
        if ((await service.get(pathname, headers)).status >= 400)
          problems.push(`${init.method} ${path} leads to ${href}`);
      }
    }
  expect(problems).toEqual([]);
  expect([...statuses]).toEqual(expect.arrayContaining([403, 404, 405, 413]));
});

test("a page that is not in the dashboard leads to the overview, not to the site", async () => {
  const { get, signIn } = await testService();
  const manager = await signIn();
  const answer = await get("/dashboard/nothing");
  const html = await answer.text();
  expect([answer.status, linksIn(html)]).toEqual([404, ["/dashboard"]]);
  expect(html).toContain("Go to the overview");
  const inside = await (await manager.get("/dashboard/nothing")).text();
  expect(linksIn(inside)).not.toContain("/");
  expect(inside).toContain("Go to the overview");
});

test("an overview that fails does not lead back to itself; another page leads to it", async () => {
  const { db, signIn } = await testService();
  const { get } = await signIn();
  await look(db, "alter table messages rename to gone");
  for (const path of ["/dashboard", "/dashboard/", "/dashboard/contact"]) {
    const answer = await get(path);
    expect([path, answer.status, linksIn(await answer.text())]).toEqual([
      path,
      500,
      path === "/dashboard/contact" ? ["/dashboard"] : [],
    ]);
  }
});

test.each(["/api", "/api/", "/api/nothing"])(
  "what is not at %s is told as JSON, elsewhere as a page (D6)",
  async (path) => {
    const { get, post } = await testService();
    for (const answer of [await get(path), await post(path, {})]) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ success: false, data: null, error: { code: "NOT_FOUND" } });
    }
    expect((await get("/apis")).headers.get("content-type")).toStartWith("text/html");
  },
);
