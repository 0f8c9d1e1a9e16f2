import { expect, test } from "bun:test";
import sharp from "sharp";
import * as files from "../../../db/storage/files";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { recordFailure, unread } from "../../../db/storage/pictures";
import * as variants from "../../../db/storage/variants";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { animate, draw, pretendPng } from "../../../test/support/storage/pictures";
import { store } from "../../../test/support/storage/stored-files";
import { connect } from "../nodes/access";

const webp = { accept: "image/avif,image/webp,image/*;q=0.8" };

/** A service with these files, seen by a manager. */
async function start(...contents: Parameters<typeof store>[1][]) {
  const service = await testService();
  const ids = await store(service, ...contents);
  const { headers } = await service.signIn();
  const ask = (id: string, query: string, more: Record<string, string> = {}) =>
    service.get(`/media/${id}/x${query}`, { ...headers, ...more });
  /** What a browser gets in the end. */
  const see = async (id: string, query: string, more: Record<string, string> = {}) => {
    const { headers: answered } = await ask(id, query, more);
    const response = await fetch(answered.get("location") ?? "");
    const bytes = Buffer.from(await response.arrayBuffer());
    return { bytes, type: response.headers.get("content-type"), name: response.headers.get("content-disposition") };
  };
  return { ...service, ids, id: ids[0] ?? "", ask, see };
}

const photo = async ({ comment = "", ...more }: { comment?: string } & Partial<Parameters<typeof draw>[0]> = {}) => ({
  filename: "harbour.jpeg",
  mimeType: "image/jpeg",
  body: await new Blob([await draw({ width: 1_200, height: 800, ...more }), comment]).bytes(),
});

test("a size is made when first asked for: WebP for those who accept it, else JPEG", async () => {
  const { id, see, db } = await start(await photo());
  const small = await see(id, "?w=320", webp);
  expect([small.type, small.name]).toEqual(["image/webp", expect.stringContaining("harbour-320.webp")]);
  expect(await sharp(small.bytes).metadata()).toMatchObject({ format: "webp", width: 320, height: 213 });
  const letter = await see(id, "?w=1120&as=jpeg", webp);
  expect([letter.type, (await sharp(letter.bytes).metadata()).width]).toEqual(["image/jpeg", 1_120]);
  expect((await see(id, "?w=320")).type).toBe("image/jpeg");
  expect((await see(id, "?w=320", { accept: "image/webp;q=0, */*" })).type).toBe("image/jpeg");
  expect(await files.find(db, id)).toMatchObject({ width: 1_200, height: 800, picture: "opaque" });
});

test("the next larger step is shown, and never more than there is", async () => {
  const { id, see } = await start(await photo());
  const widthOf = async (query: string) => (await sharp((await see(id, query, webp)).bytes).metadata()).width;
  expect([await widthOf("?w=321"), await widthOf("?w=1280"), await widthOf("?w=99999")]).toEqual([640, 1_200, 1_200]);
  const plain = await see(id, "?w=0", webp);
  expect([plain.type, (await sharp(plain.bytes).metadata()).width]).toEqual(["image/jpeg", 1_200]);
});

test("a photo is upright, and says neither where it was taken nor with what", async () => {
  const { id, see, db } = await start(await photo({ orientation: 6 }));
  const { bytes } = await see(id, "?w=320", webp);
  const { width, height, exif, orientation } = await sharp(bytes).metadata();
  expect({ width, height, exif, orientation }).toEqual({
    width: 320,
    height: 480,
    exif: undefined,
    orientation: undefined,
  });
  const [red = 0, , blue = 0] = await sharp(bytes)
    .extract({ left: 160, top: 20, width: 1, height: 1 })
    .raw()
    .toBuffer();
  expect(red).toBeGreaterThan(blue); // what was left is above
  expect(await files.find(db, id)).toMatchObject({ width: 800, height: 1_200 });
});

test("a transparent picture stays transparent, also without WebP", async () => {
  const body = await draw({ width: 700, height: 300, format: "png", isTransparent: true });
  const { id, see } = await start({ filename: "logo.png", mimeType: "image/png", body });
  const letter = await see(id, "?w=1120&as=jpeg");
  expect([letter.type, (await sharp(letter.bytes).metadata()).hasAlpha]).toEqual(["image/png", true]);
  expect((await sharp((await see(id, "?w=640", webp)).bytes).metadata()).hasAlpha).toBe(true);
});

test("it is made once, stays beside the file and is counted; caches learn what it depends on", async () => {
  const { id, ask, db } = await start(await photo());
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(id, "?w=640", webp)));
  const locations = new Set(answers.map(({ headers }) => headers.get("location")));
  expect([locations.size, answers[0]?.headers.get("vary")]).toEqual([1, "Accept"]);
  const rows = await look(db, "select key, bytes from file_variants where ready_at is not null");
  expect(rows).toEqual([{ key: expect.stringMatching(/^variants\/.*\/640\.webp$/), bytes: expect.any(Number) }]);
  const stored = await files.find(db, id);
  const [{ used } = { used: 0 }] = await look(db, "select used_bytes as used from storage_nodes");
  expect(used).toBe((stored?.size ?? 0) + Number(rows[0]?.bytes));
  expect(await storageNodes.imbalances(db)).toEqual([]);
  expect((await ask(id, "?w=640", webp)).headers.get("location")).toBe(answers[0]?.headers.get("location") ?? "");
});

test("it is gone with the file, and so is its space", async () => {
  const { id, ask, db, storage, now } = await start(await photo());
  const location = (await ask(id, "?w=640", webp)).headers.get("location") ?? "";
  expect((await fetch(location)).status).toBe(200);
  for (const action of ["trash", "delete"] as const)
    await fileBulk.applyAction(db, { action, selection: { ids: [id] } }, { actor: "cli" }, now());
  await storage.sweep();
  expect((await fetch(location)).status).toBe(404);
  expect(await look(db, "select key from file_variants")).toEqual([]);
  expect(await look(db, "select used_bytes as used from storage_nodes")).toEqual([{ used: 0 }]);
});

test.each([
  ["an animated GIF", "image/gif", () => animate("gif")],
  ["an animated WebP", "image/webp", () => animate("webp")],
  [
    "a drawing",
    "image/svg+xml",
    async () => Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
  ],
  [
    "a drawing that says it is a PNG",
    "image/png",
    async () => Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
  ],
  ["a picture of more pixels than are decoded", "image/png", () => pretendPng(50_000, 50_000)],
  ["a text that says it is a photo", "image/jpeg", async () => Buffer.from("hello")],
  ["a film", "video/mp4", async () => Buffer.from("film")],
  ["half a photo", "image/jpeg", async () => (await draw({ width: 900, height: 900 })).subarray(0, 3_000)],
])("%s stays as it came", async (_, mimeType, bytes) => {
  const body = new Uint8Array(await bytes());
  const { id, see, ask, db, logged } = await start({ filename: "x", mimeType, body });
  for (const accept of [webp, {}]) expect((await see(id, "?w=320", accept)).bytes).toEqual(Buffer.from(body));
  expect((await ask(id, "?w=320")).headers.get("cache-control")).toBe("private, no-store");
  expect(await look(db, "select key from file_variants")).toEqual([]);
  expect(logged.filter(({ msg }) => String(msg).startsWith("no sizes")).length).toBeLessThanOrEqual(1);
});

test("if a process takes long, another one makes it too; the first that has it counts, and only once", async () => {
  const { id, db, now, storage } = await start(await photo());
  await storage.readPictures();
  const file = await files.findStored(db, id);
  if (!file) throw new Error("no file");
  const key = `${variants.keysOf(file.objectKey)}640.webp`;
  const claim = await variants.claim(db, { key, nodeId: file.nodeId }, now());
  if (typeof claim === "string") throw new Error(claim);
  expect(await variants.claim(db, claim, now())).toBe("busy");
  const later = new Date(now().getTime() + variants.claimMs + 1);
  const second = await variants.claim(db, claim, later); // the first has died
  expect(second).toMatchObject({ key, claimedUntil: new Date(later.getTime() + variants.claimMs) });
  const finish = () => variants.finish(db, { ...claim, objectKey: file.objectKey, bytes: 5 }, later);
  expect([await finish(), await finish(), await variants.isReady(db, key)]).toEqual([true, false, true]);
  expect(await storageNodes.imbalances(db)).toEqual([]);
});

test("pictures are read after their upload, and what they are is known without asking for a size", async () => {
  const { ids, db, storage } = await start(
    await photo({ orientation: 8 }),
    { filename: "moving.gif", mimeType: "image/gif", body: await animate("gif") },
    { filename: "notes.txt" },
    await photo({ width: 60, height: 40, comment: "acTL" }), // what begins an animated PNG
  );
  await storage.readPictures();
  const facts = await Promise.all(ids.map((id) => files.find(db, id)));
  expect(facts.map((file) => [file?.width, file?.height, file?.picture])).toEqual([
    [800, 1_200, "opaque"],
    [40, 30, "as-is"],
    [null, null, null],
    [60, 40, "opaque"],
  ]);
});

test("a picture on a node that is down is read ten minutes later, and is not in the way of others until then", async () => {
  const { db, storage, clock, now } = await start(await photo({ width: 60, height: 40 }));
  const isDue = async () => (await unread(db, now())).length;
  await look(db, "update storage_nodes set state = 'down'");
  expect(await isDue()).toBe(1);
  await storage.readPictures();
  expect(await isDue()).toBe(0);
  clock.time += 10 * 60_000;
  expect(await isDue()).toBe(1);
});

test("a picture of which the process died is read again once, and then left alone", async () => {
  const { id, db, now, see } = await start(await photo());
  const [picture] = await unread(db, now());
  if (!picture) throw new Error("no picture is due");
  expect(await recordFailure(db, picture)).toBe(false);
  expect(await unread(db, now())).toHaveLength(1);
  expect(await recordFailure(db, picture)).toBe(true);
  expect([await unread(db, now()), (await files.find(db, id))?.picture]).toEqual([[], "unreadable"]);
  expect((await see(id, "?w=320", webp)).type).toBe("image/jpeg"); // the file as it came
});

test("a comparison with the node forgets a size that is missing, and removes an old one that nobody knows", async () => {
  const { id, ask, config, db, storage } = await start(await photo());
  await ask(id, "?w=640", webp);
  await ask(id, "?w=320", webp);
  const [node] = await storageNodes.list(db);
  if (!node) throw new Error("no node");
  const keys = (await look(db, "select key from file_variants")).map(({ key }) => key);
  const seen = { matched: 0, bytes: 0, missing: 0 };
  const differences = async () =>
    (await Array.fromAsync(storage.nodes.differences(node.id, seen, { actor: "cli" }))).filter(
      ({ kind, subject }) => kind === "sum" || keys.includes(subject), // tests share the bucket
    );
  expect(await differences()).toEqual([]);
  const [small, large] = await look(db, "select key from file_variants order by bytes");
  await look(db, "delete from file_variants where key = ?", [String(small?.key)]);
  const kinds = (await differences()).map(({ kind, subject }) => [kind, subject === small?.key]);
  expect(kinds).toEqual([
    ["unknown", true],
    ["sum", false],
  ]);
  await (await connect(config, node, 60_000)).remove(String(large?.key));
  for (const { kind, repair } of await differences()) if (kind !== "unknown") expect(await repair()).toBe(true);
  expect((await differences()).map(({ kind }) => kind)).toEqual(["unknown"]); // it is too young to be nobody's
  expect((await ask(id, "?w=640", webp)).headers.get("location")).toContain("640.webp"); // made again
});
