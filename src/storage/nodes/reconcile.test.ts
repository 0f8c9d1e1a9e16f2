import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import * as variants from "../../../db/storage/variants";
import { start } from "../../../test/support/storage/storage-pages";
import { merged } from "./reconcile";
import { look } from "../../../test/support/look";
import { uploadOf } from "../../../test/support/storage/upload-rows";

const by = { actor: "cli" };
const day = 24 * 3_600_000;

async function compared() {
  const service = await start();
  const { after, embedded, grant, put, s3, storage } = service;
  /** Adds an object that has no row, or that another process left. */
  const plant = async (key: string, body = "12345") => {
    const id = await s3.initiate(key, "text/plain", "r");
    await fetch(s3.uploadUrl(key, id, body.length), { method: "PUT", body });
    await s3.complete(key, id, (await s3.listParts(key, id)) ?? []);
    return key;
  };
  const found = async (yesLost?: number) => {
    const seen = { matched: 0, bytes: 0, missing: 0 };
    const all = await Array.fromAsync(storage.nodes.differences(embedded.id, seen, by, yesLost));
    return { seen, all };
  };
  return {
    ...service,
    plant,
    found,
    /** The differences, as "kind subject expected found", with the keys that this test knows. */
    async differences(known: string[]) {
      const { all } = await found();
      return all
        .filter(({ kind, subject }) => kind === "sum" || known.includes(subject))
        .map(({ kind, subject, expected, found }) => [kind, subject, expected, kind === "open" ? "" : found]);
    },
    async repair(known: string[], yesLost?: number) {
      const { all } = await found(yesLost);
      const ours = all.filter(({ kind, subject }) => kind === "sum" || known.includes(subject));
      return Object.fromEntries(
        await Promise.all(ours.map(async ({ kind, repair }) => [kind, await repair()] as const)),
      );
    },
    async uploadedTenMore() {
      for (let i = 0; i < 10; i++) await put((await grant()).uploadUrl);
      await after(1_000);
      await after(3_000);
    },
    /** Uploads a file. */
    async file() {
      const { uploadUrl, _meta } = await grant();
      await put(uploadUrl);
      await after(1_000);
      await after(3_000);
      const upload = await uploads.find(service.db, _meta.reservationId);
      if (upload?.state !== "completed") throw new Error("The upload did not complete");
      return upload;
    },
  };
}

test("where all is well there is no difference, whatever is under way", async () => {
  const { file, found, grant, put } = await compared();
  const { objectKey } = await file();
  await put((await grant()).uploadUrl);
  const { seen, all } = await found();
  expect(seen).toEqual({ matched: 1, bytes: 5, missing: 0 });
  expect(all.filter(({ subject }) => subject === objectKey)).toEqual([]);
});

test("a file whose object is missing is reported, and removed by the repair", async () => {
  const { bytes, db, differences, file, outcome, repair, s3, state } = await compared();
  const [lost] = [await file(), await file()];
  await s3.remove(lost.objectKey);
  expect(await differences([lost.objectKey])).toEqual([["missing", lost.objectKey, "5", "-"]]);
  expect(await repair([lost.objectKey], 1)).toEqual({ missing: true });
  expect([await state(lost.id), await outcome(lost.id), await bytes()]).toEqual([
    ...["aborted", "lost"],
    { used: 5, reserved: 0 },
  ]);
  const { events } = await audit.list(db, { group: "file" }, { page: 1, per: 5 });
  expect(events).toMatchObject([{ actor: "cli", action: "file.lost", target: "a.txt" }]);
  expect(await differences([lost.objectKey])).toEqual([]);
});

test("if more than a tenth of the files are missing, none is removed unless the operator states how many are lost", async () => {
  const { file, repair, s3, state, uploadedTenMore } = await compared();
  const { id, objectKey } = await file();
  await s3.remove(objectKey); // no file is found at all: this is the wrong bucket
  expect([await repair([objectKey]), await state(id)]).toEqual([{ missing: false }, "completed"]);
  expect([await repair([objectKey], 2), await state(id)]).toEqual([{ missing: false }, "completed"]);

  await file();
  expect([await repair([objectKey]), await state(id)]).toEqual([{ missing: false }, "completed"]);
  await uploadedTenMore();
  expect([await repair([objectKey]), await state(id)]).toEqual([{ missing: true }, "aborted"]);
});

test("another number of bytes at the provider becomes the file's size, and the node's sum", async () => {
  const { bytes, db, differences, file, plant, repair } = await compared();
  const { id, objectKey } = await file();
  await plant(objectKey, "1234567");
  expect(await differences([objectKey])).toEqual([["size", objectKey, "5", "7"]]);
  expect(await repair([objectKey])).toEqual({ size: true });
  expect([(await uploads.find(db, id))?.size, await bytes()]).toEqual([7, { used: 7, reserved: 0 }]);
  expect(await differences([objectKey])).toEqual([]);
});

test("other bytes of the same number at the provider are a difference, and taken over by the repair", async () => {
  const { db, differences, file, plant, repair, s3 } = await compared();
  const { id, objectKey, etag } = await file();
  await plant(objectKey, "other");
  const other = (await s3.stat(objectKey))?.etag ?? "";
  expect(await differences([objectKey])).toEqual([["etag", objectKey, etag ?? "", other]]);
  expect(await repair([objectKey])).toEqual({ etag: true });
  expect((await uploads.find(db, id))?.etag).toBe(other);
  const { events } = await audit.list(db, { group: "file" }, { page: 1, per: 1 });
  expect(events).toMatchObject([{ action: "file.correct", actor: "cli", details: { etag: `${etag} → ${other}` } }]);
  expect(await differences([objectKey])).toEqual([]);
});

test("a file from before ETags were kept has the bytes it has", async () => {
  const { db, differences, file } = await compared();
  const { id, objectKey } = await file();
  await look(db, `update uploads set etag = null where id = '${id}'`);
  expect(await differences([objectKey])).toEqual([]);
});

test("an unknown object is removed once it is a day old; other prefixes are not ours", async () => {
  const { clock, differences, plant, repair, s3 } = await compared();
  clock.time = Date.now();
  const key = await plant(`u/unknown/${crypto.randomUUID()}`);
  const other = await plant(`photos/${crypto.randomUUID()}`);
  expect(await differences([key, other])).toEqual([["unknown", key, "-", "5"]]);
  expect(await repair([key])).toEqual({ unknown: false });
  clock.time += day + 60_000;
  expect(await repair([key])).toEqual({ unknown: true });
  expect([await s3.stat(key), (await s3.stat(other))?.size]).toEqual([undefined, 5]);
});

test("a size of a picture that is made or removed while objects are compared is no difference", async () => {
  const { clock, db, embedded, now, plant, s3, storage } = await compared();
  clock.time = Date.now() + 2 * day;
  const folder = `${variants.variantPrefix}${crypto.randomUUID()}/`;
  const [unknown, made, removed] = [await plant(`${folder}a`), await plant(`${folder}b`), await plant(`${folder}c`)];
  const subjects: string[] = [];
  for await (const one of storage.nodes.differences(embedded.id, { matched: 0, bytes: 0, missing: 0 }, by)) {
    if (one.subject.startsWith(folder)) subjects.push(`${one.kind} ${one.subject}`);
    if (one.subject !== unknown) continue;
    await variants.claim(db, { key: made, nodeId: embedded.id }, now());
    await s3.remove(removed);
    expect([await one.repair(), await s3.stat(unknown)]).toEqual([true, undefined]);
  }
  expect(subjects).toEqual([`unknown ${unknown}`]);
  expect((await s3.stat(made))?.size).toBe(5);
});

test("an object of a failed upload is reported, and never removed", async () => {
  const { clock, db, differences, grant, now, plant, repair, s3 } = await compared();
  const { _meta } = await grant();
  const upload = await uploads.find(db, _meta.reservationId);
  const key = upload?.objectKey ?? "";
  await s3.forget(key, upload?.providerUploadId ?? undefined);
  await uploads.settle(db, await uploadOf(db, _meta.reservationId), { state: "aborted", outcome: "expired" }, now());
  await plant(key);
  clock.time = Date.now() + 2 * day;
  expect(await differences([key])).toEqual([["leftover", key, "-", "5"]]);
  expect([await repair([key]), (await s3.stat(key))?.size]).toEqual([{ leftover: false }, 5]);
  await s3.remove(key);
});

test("an upload that is open at the provider and over here is closed; an unknown one when it is a day old", async () => {
  const { clock, db, differences, grant, now, repair, s3 } = await compared();
  clock.time = Date.now();
  const { _meta } = await grant();
  const over = (await uploads.find(db, _meta.reservationId))?.objectKey ?? "";
  const unknown = `u/unknown/${crypto.randomUUID()}`;
  const told = await Array.fromAsync(s3.openUploads("u/"));
  if (!told.some(({ key }) => key === over)) return; // MinIO lists these only by exact key, and drops stale ones itself
  expect(await differences([over])).toEqual([]); // it is in progress
  await uploads.settle(db, await uploadOf(db, _meta.reservationId), { state: "aborted", outcome: "expired" }, now());
  await s3.initiate(unknown, "text/plain", "r");
  expect(await differences([over])).toEqual([["open", over, "-", ""]]);
  expect([await repair([over]), await s3.findUploadId(over)]).toEqual([{ open: true }, undefined]);
  expect(await repair([unknown])).toEqual({ open: false });
  clock.time += day + 60_000;
  expect([await repair([unknown]), await s3.findUploadId(unknown)]).toEqual([{ open: true }, undefined]);
});

test("sums that are not those of the rows are made so", async () => {
  const { bytes, db, differences, file, grant, repair } = await compared();
  await file();
  await grant({ size: 30 });
  await look(db, "update storage_nodes set used_bytes = 1000, reserved_bytes = 2000");
  expect(await differences([])).toEqual([
    ["sum", "used", "5", "1000"],
    ["sum", "reserved", "30", "2000"],
  ]);
  expect(await repair([])).toEqual({ sum: true });
  expect([await bytes(), await storageNodes.imbalances(db)]).toEqual([{ used: 5, reserved: 30 }, []]);
});

test("two sequences are walked side by side in the order of bytes", async () => {
  const names = (list: string[]) =>
    (async function* () {
      yield* list;
    })();
  const keys = (name: string) => name;
  const pairs = await Array.fromAsync(
    merged(names(["a", "b", "é", "🐈"]), names(["b", "c", "é", "\uffff"]), keys, keys),
  );
  expect(pairs).toEqual([
    { left: "a" },
    { left: "b", right: "b" },
    { right: "c" },
    { left: "é", right: "é" },
    { right: "\uffff" },
    { left: "🐈" },
  ] as never);
});
