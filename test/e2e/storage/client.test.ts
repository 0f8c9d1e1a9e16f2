import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listUploads } from "../../support/storage/upload-rows";
import { smallPart } from "../../support/storage/storage";
import { testService } from "../../support/service";
import { temporaryFolder } from "../../support/processes";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

const program = join(import.meta.dir, "../../../docs/examples/resume-upload.ts");
const size = 7 * smallPart + 4_321;

/** A sparse file with some data in every part. */
function sparseFile(folder: string): string {
  const path = join(folder, "film.mp4");
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 2 ** 20) bytes[at] = at / 2 ** 20;
  writeFileSync(path, bytes);
  truncateSync(path, size);
  return path;
}

type Options = { cut?: () => Promise<unknown>; lose?: () => Promise<unknown>; between?: number };

/**
 * A service on a socket. With `cut`, it hands out the URLs of three parts and then calls `cut` instead of answering.
 *
 * @param lose is called instead of the answer to the first reservation, which is made
 * @param between milliseconds from one request to the next, by its clock: looks at the storage are a second apart
 */
async function listen({ cut, lose, between = 1_000 }: Options) {
  const service = await testService();
  let asked = 0;
  let reserved = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      service.clock.time += between;
      if (lose && request.url.endsWith("/upload") && ++reserved === 1) {
        await service.app.handle(request, "127.0.0.1");
        await lose();
        return new Response(null, { status: 503 });
      }
      if (!request.url.endsWith("/parts") || ++asked > 2 || !cut) return service.app.handle(request, "127.0.0.1");
      if (asked === 1) return service.app.handle(new Request(request, { body: '{"numbers":[3,5,8]}' }), "127.0.0.1");
      await cut();
      return new Response(null, { status: 503 });
    },
  });
  closing.push(() => server.stop(true));
  const { "x-api-key": key } = await service.key();
  const run = (file: string) =>
    Bun.spawn([process.execPath, program, file, server.url.origin, "films"], {
      env: { PATH: process.env.PATH ?? "", POSTROOM_KEY: key },
      stdout: "pipe",
      stderr: "pipe",
    });
  return { ...service, run, asked: () => asked };
}

test("the sample client, killed in the middle, continues where it stopped, and the file is the same", async () => {
  using folder = temporaryFolder();
  const file = sparseFile(folder.path);
  const { db, run, storage } = await listen({
    cut() {
      first.kill("SIGKILL");
      return first.exited;
    },
  });
  const first = run(file);
  await first.exited;
  expect(first.signalCode).toBe("SIGKILL");
  const [{ upload } = { upload: undefined }] = await listUploads(db);
  expect(upload).toMatchObject({ state: "open", received: 2 * smallPart + 4_321, filename: "film.mp4", size });

  const second = run(file);
  expect([await second.exited, (await second.stdout.text()).trim()]).toEqual([0, upload?.id ?? ""]);
  expect(await listUploads(db)).toHaveLength(1);
  const stored = await (await fetch((await storage.downloadUrl(upload?.id ?? "")) ?? "")).bytes();
  expect(Bun.hash(stored)).toBe(Bun.hash(await Bun.file(file).bytes()));
  expect(await Bun.file(`${file}.upload`).exists()).toBe(false);
});

test("the sample client, killed before it knows its reservation, asks for the same one", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "note.txt");
  writeFileSync(path, "short");
  const { db, run } = await listen({
    lose() {
      first.kill("SIGKILL");
      return first.exited;
    },
  });
  const first = run(path);
  await first.exited;
  const reserved = await listUploads(db);
  expect(reserved.map(({ upload }) => upload.state)).toEqual(["open"]);
  const second = run(path);
  expect([await second.exited, (await second.stdout.text()).trim()]).toEqual([0, reserved[0]?.upload.id ?? ""]);
  expect(await listUploads(db)).toHaveLength(1);
});

test("the sample client sends each part once, however fast it is", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "note.txt");
  writeFileSync(path, "short");
  const { asked, db, run } = await listen({ between: 1 });
  expect(await run(path).exited).toBe(0);
  expect(asked()).toBe(1);
  expect((await listUploads(db)).map(({ upload }) => upload.state)).toEqual(["completed"]);
});
