import { expect, test } from "bun:test";
import { testService } from "../../test/support/service";
import { look, onSqlite } from "../../test/support/look";

const area = "/api/v1/storage/uploads";
const file = { filename: "a.txt", mimeType: "text/plain", size: 5 };

type Listed = { data: { count: number; uploads: { reservationId: string }[] } };

async function start() {
  const service = await testService();
  const headers = await service.key();
  const reserve = async (body: object = {}, as = headers) => {
    const answer = await service.post("/api/v1/storage/upload", { ...file, ...body }, as);
    const { data } = (await answer.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
    return { id: data._meta.reservationId, url: data.uploadUrl };
  };
  const list = async (query = "", as = headers) => {
    const answer = await service.get(area + query, as);
    const { data } = (await answer.json()) as Listed;
    return { answer, data, ids: data?.uploads.map(({ reservationId }) => reservationId) };
  };
  return { ...service, headers, list, reserve };
}

test("lists a key's open uploads, newest first, with what is needed to resume", async () => {
  const { list, reserve } = await start();
  const one = await reserve({ folderPath: "a/b" });
  const two = await reserve({ size: 12 * 2 ** 20, multipart: true });
  const { answer, data } = await list();
  expect(data).toEqual({
    count: 2,
    uploads: [
      {
        reservationId: two.id,
        ...{
          filename: "a.txt",
          mimeType: "text/plain",
          folderPath: "",
          state: "open",
          size: 12 * 2 ** 20,
          received: 0,
        },
        ...{ mode: "multipart", partSize: 5 * 2 ** 20, partCount: 3, createdAt: "2026-11-21T12:00:00.000Z" },
        ...{ urlExpiresAt: "2026-11-21T13:00:00.000Z", holdUntil: "2026-11-21T13:15:00.000Z" },
      },
      {
        reservationId: one.id,
        ...{ filename: "a.txt", mimeType: "text/plain", folderPath: "a/b", state: "open", size: 5, received: 0 },
        ...{ mode: "put", partSize: 5, partCount: 1, createdAt: "2026-11-21T12:00:00.000Z" },
        ...{ urlExpiresAt: "2026-11-21T13:00:00.000Z", holdUntil: "2026-11-21T13:15:00.000Z" },
      },
    ],
  } as never);
  expect([
    answer.headers.get("x-total-count"),
    answer.headers.get("link"),
    answer.headers.get("cache-control"),
  ]).toEqual(["2", null, "no-store"]);
});

test("completed and aborted uploads are not included", async () => {
  const { headers, list, post, reserve, send } = await start();
  const [complete, aborted, open] = [await reserve(), await reserve(), await reserve()];
  await fetch(complete.url, { method: "PUT", body: "12345" });
  await post(`${area}/${complete.id}/complete`, {}, headers);
  await send(`${area}/${aborted.id}`, { method: "DELETE", headers });
  expect((await list()).ids).toEqual([open.id]);
});

test("neither another key's nor managers' uploads are included", async () => {
  const { key, list, reserve, storage } = await start();
  await reserve();
  await storage.reserve({ ...file, folderPath: "", managerId: "somebody" });
  const stranger = await key("Another");
  expect((await list("", stranger)).data).toEqual({ count: 0, uploads: [] });
  expect((await list("", stranger)).answer.headers.get("x-total-count")).toBe("0");
});

test("pages are connected by their Link, whatever is reserved or ends in between", async () => {
  const { list, reserve, headers, send } = await start();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await reserve()).id);
  const first = await list("?limit=2");
  const next = (link: string | null) => new URL(/<([^>]+)>; rel="next"/.exec(link ?? "")?.[1] ?? "").search;
  await reserve();
  await send(`${area}/${ids[1]}`, { method: "DELETE", headers });
  const second = await list(next(first.answer.headers.get("link")));
  const third = await list(next(second.answer.headers.get("link")));
  expect([first.ids, second.ids, third.ids]).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  expect(third.answer.headers.get("link")).toBeNull();
});

test.each(["?limit=0", "?limit=101", "?limit=1e1", "?cursor=x", "?cursor=WzFd", "?limit=1&limit=2"])(
  "400: %s",
  async (query) => {
    const { get, headers } = await start();
    const answer = await get(area + query, headers);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "VALIDATION_ERROR" } }]);
  },
);

test("HEAD and prefetching change nothing, and without a key there is nothing but 401", async () => {
  const { get, headers, send } = await start();
  expect((await send(area, { method: "HEAD", headers })).status).toBe(200);
  expect((await get(area)).status).toBe(401);
  expect((await send(area, { method: "POST", headers })).status).toBe(405);
});

onSqlite("a plan of its query planner")("the list is found by its index, however many uploads there were", async () => {
  const { db } = await start();
  const plan = (
    await look<{ detail: string }>(
      db,
      `explain query plan select * from uploads
       where state not in ('completed', 'aborted') and api_key_id = 'a' and id < 'b' order by id desc limit 2`,
    )
  ).map(({ detail }) => detail);
  expect(plan).toEqual(["SEARCH uploads USING INDEX uploads_open_of_key (api_key_id=? AND id<?)"]);
});
