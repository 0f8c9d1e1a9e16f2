import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { replaceKey } from "../../db/access/keys/expiry";
import type { UploadLimits } from "../../db/schema/access";
import { store } from "../../test/support/storage/stored-files";
import { testService } from "../../test/support/service";

const file = { filename: "a.png", mimeType: "image/png", size: 1_000, folderPath: "inbox/2026" };

/** A service with a key of these limits. */
async function service(uploadLimits: UploadLimits | null) {
  const own = await testService();
  const { key, row } = await apiKeys.generate(own.db, { prefix: "site", name: "Form", uploadLimits }, own.now());
  const headers = { "x-api-key": key, "content-type": "application/json" };
  type Refusal = { error: { code: string; details?: { field: string; message: string }[] } | null };
  const ask = async (method: string, path: string, body: object) => {
    const answer = await own.send(path, { method, headers, body: JSON.stringify(body) });
    const { error } = (await answer.json()) as Refusal;
    return [answer.status, error?.details?.map(({ field }) => field) ?? []];
  };
  const upload = (more: object) => ask("POST", "/api/v1/storage/upload", { ...file, ...more });
  return { ...own, ask, id: row.id, upload };
}

test("a key uploads what its limits allow, and is told which field is outside", async () => {
  const mimeTypes = ["image/*", "application/pdf"];
  const { upload } = await service({ maxBytes: 1_000, mimeTypes, folder: "inbox" });
  for (const allowed of [
    {},
    { size: 0 },
    { mimeType: "IMAGE/webp" },
    { mimeType: "application/pdf; version=2" },
    { folderPath: "/inbox//" },
  ])
    expect([allowed, await upload(allowed)]).toEqual([allowed, [200, []]]);
  for (const [outside, fields] of [
    [{ size: 1_001 }, ["size"]],
    [{ mimeType: "imagex/png" }, ["mimeType"]],
    [{ mimeType: "application/pdfx" }, ["mimeType"]],
    [{ folderPath: "inboxes" }, ["folderPath"]],
    [{ folderPath: undefined }, ["folderPath"]],
    [{ size: 1_001, mimeType: "text/html", folderPath: "Inbox" }, ["size", "mimeType", "folderPath"]],
  ] as const)
    expect([outside, await upload(outside)]).toEqual([outside, [400, [...fields]]]);
});

test("a key limited to a folder moves no file out of it, and renames as before", async () => {
  const { ask, ...own } = await service({ folder: "inbox" });
  const [id] = await store(own, { folderPath: "inbox" });
  const path = `/api/v1/storage/files/${id}`;
  expect(await ask("PATCH", path, { folderPath: "" })).toEqual([400, ["folderPath"]]);
  expect(await ask("PATCH", path, { folderPath: "inbox/done", filename: "b.txt" })).toEqual([200, []]);
});

test("a key from before, or one without limits, uploads everything", async () => {
  const { upload } = await service(null);
  expect(await upload({ size: 10 ** 9, mimeType: "text/html", folderPath: "" })).toEqual([200, []]);
});

test("limits hold from the next request, and a replaced key passes them on", async () => {
  const { db, id, now, upload } = await service(null);
  expect(await upload({})).toEqual([200, []]);
  const limits = { maxBytes: 1 };
  await db.write((orm) => orm.run(`update api_keys set upload_limits = '${JSON.stringify(limits)}'`));
  expect(await upload({})).toEqual([400, ["size"]]);
  const made = await replaceKey(db, { id, prefix: "site", stopsAt: now() }, { actor: "cli" }, now());
  expect(made?.row.uploadLimits).toEqual(limits);
});
