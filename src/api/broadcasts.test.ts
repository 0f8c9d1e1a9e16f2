import { expect, test } from "bun:test";
import { setArchive } from "../../db/broadcasts/states";
import { confirmedBroadcast } from "../../test/support/broadcasts/archive";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";

const path = "/api/v1/newsletter/broadcasts";
const day = 86_400_000;

/** A service that sent these broadcasts, one a day, and a client with a key. */
async function archiveOf(...subjects: string[]) {
  const service = await testService({ BASE_URL: "https://site.example" });
  const { db, clock, now, key, get } = service;
  const sent = [];
  for (const subject of subjects) {
    sent.push(await confirmedBroadcast(db, now(), { subject, content: `Dear {name, "friend"}, **${subject}**.` }));
    clock.time += day;
  }
  const headers = await key();
  const read = async (at = "", more: Record<string, string> = {}) => get(`${path}${at}`, { ...headers, ...more });
  const data = async (at = "") => ((await (await read(at)).json()) as { data: Record<string, unknown> }).data;
  return { ...service, sent, read, data };
}

test("the archive is listed newest first, with fallbacks, and read with its text", async () => {
  const { data } = await archiveOf("Rain", "Wind for {name}");
  const item = { id: expect.any(String), sentAt: "2026-11-22T12:00:00.000Z", subject: "Wind for" };
  const wind = { ...item, slug: "wind-for-name", url: "https://site.example/newsletter/wind-for-name" };
  const excerpt = "Dear friend, Wind for.";
  expect(await data()).toMatchObject({ count: 2, broadcasts: [{ ...wind, excerpt }, { subject: "Rain" }] });
  expect(await data("/wind-for-name")).toEqual({ ...wind, excerpt, text: "Dear friend, Wind for." });
});

test("pages follow each other by their cursor, and each is there once (D23)", async () => {
  const { get, key, read } = await archiveOf("a", "b", "c", "d", "e");
  const headers = await key();
  const seen: string[] = [];
  let next: string | undefined = `${path}?limit=2`;
  while (next) {
    const answer = await get(next, headers);
    const { data } = (await answer.json()) as { data: { broadcasts: { subject: string }[] } };
    seen.push(...data.broadcasts.map(({ subject }) => subject));
    expect(answer.headers.get("x-total-count")).toBe("5");
    const [, url] = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "") ?? [];
    next = url && new URL(url).pathname + new URL(url).search;
  }
  expect(seen).toEqual(["e", "d", "c", "b", "a"]);
  for (const bad of ["?limit=0", "?limit=101", "?cursor=x", "?limit=1&limit=2"])
    expect((await read(bad)).status).toBe(400);
});

test("broadcasts that are unlisted, not sent or in the trash are neither listed nor readable", async () => {
  const { db, now, read, data } = await archiveOf();
  const hidden = [
    await confirmedBroadcast(db, now(), { subject: "a", archive: "unlisted" }),
    await confirmedBroadcast(db, now(), { subject: "b", archive: "none" }),
    await confirmedBroadcast(db, now(), { subject: "c", state: "sending" }),
    await confirmedBroadcast(db, now(), { subject: "d", state: "scheduled" }),
    await confirmedBroadcast(db, now(), { subject: "e", state: "cancelled" }),
    await confirmedBroadcast(db, now(), { subject: "f" }),
  ];
  await look(db, "update broadcasts set deleted_at = 1 where subject = 'f'");
  expect(await data()).toEqual({ count: 0, broadcasts: [] });
  for (const { slug } of [...hidden, { slug: "nothing" }]) expect((await read(`/${slug}`)).status).toBe(404);
});

test("an unchanged response is a 304, and unlisting a broadcast changes it (D24)", async () => {
  const { db, now, read, sent } = await archiveOf("a", "b");
  const etags = [];
  for (const at of ["", "/a"]) {
    const etag = (await read(at)).headers.get("etag") ?? "";
    expect((await read(at, { "if-none-match": etag })).status).toBe(304);
    etags.push(etag);
  }
  const [first] = sent;
  const result = first && (await setArchive(db, { seen: first, archive: "none" }, { actor: "a@example.com" }, now()));
  expect(result?.outcome).toBe("changed");
  expect((await read("", { "if-none-match": etags[0] ?? "" })).status).toBe(200);
  expect((await read("/a", { "if-none-match": etags[1] ?? "" })).status).toBe(404);
});

test("without a key there is only 401", async () => {
  const { get } = await archiveOf("a");
  for (const at of [path, `${path}/a`, `${path}/nothing`]) expect((await get(at)).status).toBe(401);
});
