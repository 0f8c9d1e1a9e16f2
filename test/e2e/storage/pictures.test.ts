import { expect, setDefaultTimeout, test } from "bun:test";
import sharp from "sharp";
import * as files from "../../../db/storage/files";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { describe } from "../../../db/storage/pictures";
import { replace } from "../../../db/storage/replace";
import { keysOf } from "../../../db/storage/variants";
import { connect } from "../../../src/storage/nodes/access";
import { testService } from "../../support/service";
import { draw } from "../../support/storage/pictures";
import { store } from "../../support/storage/stored-files";
import { testTimeoutMs } from "../../support/within";

// What a node holds of pictures, whichever S3 server it is. `npm run test:storage` names one.

setDefaultTimeout(testTimeoutMs);

const by = { actor: "cli" } as const;
const webp = { accept: "image/webp" };

/** A service with two pictures, seen by a manager, and what their node has. */
async function start() {
  const service = await testService();
  const { db, config } = service;
  const picture = async (width: number) => ({
    filename: `${width}.jpeg`,
    mimeType: "image/jpeg",
    body: await draw({ width, height: 800 }),
  });
  const ids = await store(service, await picture(1_200), await picture(700));
  const [id = "", other = ""] = ids;
  const { headers } = await service.signIn();
  const s3 = async () => {
    const [node] = await storageNodes.list(db);
    if (!node) throw new Error("There is no node");
    return connect(config, node, 60_000);
  };
  const objectOf = async (file: string) => {
    const found = await files.findStored(db, file);
    if (!found) throw new Error("There is no file");
    return found.objectKey;
  };
  /** Names of the sizes that the node has of an object, with their bytes. */
  const sizesOn = async (object: string) => {
    const all = await Array.fromAsync((await s3()).objects(keysOf(object)));
    return Object.fromEntries(all.map(({ key, size }) => [key.slice(keysOf(object).length), size]));
  };
  /** The bytes that a browser gets. */
  const see = async (query: string, more: Record<string, string> = webp) => {
    const answer = await service.get(`/media/${id}/x${query}`, { ...headers, ...more });
    return Buffer.from(await (await fetch(answer.headers.get("location") ?? "")).arrayBuffer());
  };
  /** Deletes a file for good. */
  const remove = async (file: string) => {
    for (const action of ["trash", "delete"] as const)
      await fileBulk.applyAction(db, { action, selection: { ids: [file] } }, by, service.now());
    await service.storage.sweep();
  };
  return { ...service, id, other, s3, objectOf, sizesOn, see, remove };
}

test("sizes are on the node beside their file, byte for byte as they are shown, and gone with it", async () => {
  const { id, objectOf, sizesOn, see, s3, remove } = await start();
  const object = await objectOf(id);
  expect(await sizesOn(object)).toEqual({});
  const [small, large, letter] = [await see("?w=320"), await see("?w=640"), await see("?w=1120&as=jpeg", {})];
  expect(await sizesOn(object)).toEqual({
    "320.webp": small.length,
    "640.webp": large.length,
    "1120.jpeg": letter.length,
  });
  expect(await see("?w=320")).toEqual(small); // of what is there
  const stored = await Array.fromAsync((await s3()).read(`${keysOf(object)}320.webp`, 0, small.length));
  expect(Buffer.concat(stored)).toEqual(small);
  await remove(id);
  expect(await sizesOn(object)).toEqual({});
  expect(await (await s3()).stat(object)).toBeUndefined();
});

test("a picture that takes the place of another has sizes of its own; those of the previous one go with that", async () => {
  const { id, other, db, now, objectOf, sizesOn, see, remove } = await start();
  const before = await objectOf(id);
  await see("?w=640");
  expect(await replace(db, { id, other }, by, now())).toMatchObject({ outcome: "replaced" });
  const after = await objectOf(id);
  expect(after).not.toBe(before);
  expect([Object.keys(await sizesOn(before)), await sizesOn(after)]).toEqual([["640.webp"], {}]);
  expect((await sharp(await see("?w=1280")).metadata()).width).toBe(700); // as wide as the new one is
  expect(Object.keys(await sizesOn(after))).toEqual(["960.webp"]);
  await remove(other); // it has the previous bytes now
  expect(await sizesOn(before)).toEqual({});
  expect(Object.keys(await sizesOn(after))).toEqual(["960.webp"]);
});

test("where its middle is stays with the file, and makes no size anew", async () => {
  const { id, other, db, now, objectOf, sizesOn, see, s3 } = await start();
  const object = await objectOf(id);
  const shown = await see("?w=640");
  const before = await (await s3()).stat(`${keysOf(object)}640.webp`);
  await describe(db, id, { alt: "Rain", focus: { x: 15, y: 80 } }, by, now());
  expect(await see("?w=640")).toEqual(shown);
  expect(await (await s3()).stat(`${keysOf(object)}640.webp`)).toEqual(before);
  expect(Object.keys(await sizesOn(object))).toEqual(["640.webp"]);
  await replace(db, { id, other }, by, now());
  expect(await files.find(db, id)).toMatchObject({ alt: "Rain", focalX: 15, focalY: 80 });
});
