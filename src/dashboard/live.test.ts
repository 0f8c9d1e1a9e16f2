import { expect, test } from "bun:test";
import { markRead } from "../../db/contact/messages";
import { submit } from "../../db/contact/submissions";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { endStreams } from "../http/live-hub";

const path = "/dashboard/live";
const accept = { accept: "text/event-stream" };

/** Reads a stream up to a text, and returns everything until then; up to its end if there is none. */
function readerOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async until(part?: string): Promise<string> {
      while (part === undefined || !text.includes(part)) {
        const chunk = await reader?.read();
        if (!chunk || chunk.done) break;
        text += chunk.value;
      }
      const read = text;
      text = "";
      return read;
    },
    cancel: () => reader?.cancel(),
  };
}

async function withPage() {
  const service = await testService();
  const manager = await service.signIn();
  const html = await (await manager.get("/dashboard/contact")).text();
  const first = readerOf(await manager.get(path, accept));
  const [, since = ""] = /id: (\S+)/.exec(await first.until("\n\n")) ?? [];
  await first.cancel();
  expect(html).toContain(`content="${since}"`);
  const open = async (from = since, more = {}) =>
    manager.get(`${path}?since=${encodeURIComponent(from)}`, { ...accept, ...more });
  const write = () =>
    submit(
      service.db,
      { name: "Ada", email: "ada@example.com", message: `Hello there ${Bun.randomUUIDv7()}`, source: "landing" },
      {},
      service.now(),
    );
  return { ...service, manager, open, write };
}

test("a page is told which topics have changed, and of nothing that it knew when it was rendered", async () => {
  const { db, now, open, write } = await withPage();
  const response = await open();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const stream = readerOf(response);
  expect(await stream.until("\n\n")).not.toContain("changed");
  const written = await write();
  expect(await stream.until("data: messages emails\n")).toContain("event: changed");
  await markRead(db, "id" in written ? written.id : "", now());
  expect(await stream.until("data: messages\n")).toContain("event: changed");
  await stream.cancel();
});

test("a page that was away is told what it missed, by the last ID it was told", async () => {
  const { open, write } = await withPage();
  const first = readerOf(await open());
  const [, last = ""] = /id: (\S+)/.exec(await first.until("\n\n")) ?? [];
  await first.cancel();
  await write();
  const again = readerOf(await open("", { "last-event-id": last }));
  expect(await again.until("\n\n")).toMatch(/data: messages emails\n/);
  await again.cancel();
  const unknown = readerOf(await open("x".repeat(10_000)));
  expect(await unknown.until("\n\n")).toContain("data: messages emails webhooks uploads broadcasts");
  await unknown.cancel();
});

test("when the session ends its streams end, and others stay", async () => {
  const { db, open, signIn, session } = await (async () => {
    const service = await withPage();
    return { ...service, session: service.manager.session };
  })();
  const other = await signIn({ email: "other@example.com" });
  const [ends, stays] = [readerOf(await open()), readerOf(await other.get(path, accept))];
  await stays.until("\n\n");
  await look(db, `delete from sessions where hash = '${session.hash}'`);
  expect(await ends.until()).toContain("event: ended");
  endStreams(db); // as when the service stops
  expect(await stays.until()).not.toContain("event: ended");
});

test("when a page is left, the others are still told what changed", async () => {
  const { open, write } = await withPage();
  const [leaves, stays] = [readerOf(await open()), readerOf(await open())];
  await leaves.until("\n\n");
  await stays.until("\n\n");
  await leaves.cancel();
  await write();
  expect(await stays.until("data: messages emails\n")).toContain("event: changed");
  await stays.cancel();
});

test("a stream is no sign of someone being there, so the session ends as if there were none", async () => {
  const { clock, manager, open } = await withPage();
  for (let i = 0; i < 12; i++) {
    clock.time += 3_600_000;
    const response = await open();
    await response.body?.cancel();
  }
  expect((await manager.get("/dashboard")).status).toBe(303);
});

test("streams are for managers, for pages, and not more than a browser needs", async () => {
  const { get, manager, open } = await withPage();
  const stranger = await get(path, accept); // or someone whose session has just ended: a page instead would be an error
  expect([stranger.status, await stranger.text()]).toEqual([204, ""]);
  expect((await get(path)).status).toBe(303);
  expect((await manager.get(path)).status).toBe(406);
  const streams = await Promise.all(Array.from({ length: 62 }, () => open()));
  expect(streams.map(({ status }) => status).sort()).toEqual([...Array<number>(60).fill(200), 204, 204]);
  await streams[0]?.body?.cancel();
  const next = await open();
  expect(next.status).toBe(200);
  for (const { body } of [...streams, next]) await body?.cancel();
});
