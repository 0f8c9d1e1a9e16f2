import { afterAll, expect, test } from "bun:test";
import * as files from "../../db/storage/files";
import { holdDeadlines } from "../../test/support/storage/deadlines";
import { freezingProxy } from "../../test/support/storage/freezing-proxy";
import { draw } from "../../test/support/storage/pictures";
import { start } from "../../test/support/storage/storage-pages";
import { store } from "../../test/support/storage/stored-files";
import { look } from "../../test/support/look";
import { within } from "../../test/support/within";

// A node that freezes while the service itself sends or reads, and thaws later

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** A service whose files are on a node behind a proxy that freezes. */
async function behindProxy() {
  const service = await start();
  const proxy = await freezingProxy(service.embedded.endpoint);
  closing.push(() => proxy.close());
  await service.nodeAt("proxied", proxy.endpoint);
  /** Begins this, has the node freeze there, and every deadline pass. */
  async function frozenAt<T>(point: Parameters<typeof proxy.freezeAt>[0], begin: () => Promise<T>) {
    using deadlines = holdDeadlines();
    const frozen = proxy.freezeAt(point);
    const outcome = begin();
    const { closed } = await within(frozen, "the freeze");
    deadlines.pass();
    const ended = await within(outcome, "an answer");
    return { closed, ended };
  }
  return { ...service, frozenAt, thaw: proxy.thaw };
}

test("completing an upload: it is told as going on, and the file is there once the node thaws", async () => {
  const { after, frozenAt, grant, put, state, storage, thaw } = await behindProxy();
  const { uploadUrl, _meta } = await grant();
  await put(uploadUrl);
  const complete = () => storage.complete(_meta.reservationId);
  const { ended, closed } = await frozenAt({ request: /^POST .*uploadId/, received: 300 }, complete);
  expect(ended).toEqual({ outcome: "completing" });
  thaw();
  await within(closed, "the end of the connection");
  for (const wait of [61_000, 61_000]) await after(wait);
  expect(await state(_meta.reservationId)).toBe("completed");
});

test("reading a text for its page: there is no preview, and there is, once the node thaws", async () => {
  const { db, clock, frozenAt, storage, thaw } = await behindProxy();
  const [id = ""] = await store({ clock, storage }, { body: "x".repeat(50_000) });
  const file = await files.findStored(db, id);
  if (!file) throw new Error("It was not stored");
  const preview = () => storage.links.textPreview(file);
  const { ended, closed } = await frozenAt({ request: /^GET /, received: 20_000 }, preview);
  expect(ended).toBeUndefined();
  thaw();
  await within(closed, "the end of the connection");
  expect(await preview()).toMatchObject({ isWhole: true });
});

test.each([
  ["reading a picture", { request: /^GET \/[^/]+\/u\//, received: 10_000 }],
  ["storing a size of it", { request: /^PUT .*variants.*partNumber/, sent: 300 }],
])(
  "%s: it is shown as it came, and its size is made once the node thaws; nothing is left of the attempt",
  async (_, at) => {
    const { db, clock, frozenAt, s3, storage, thaw } = await behindProxy();
    const body = await new Blob([await draw({ width: 1_200, height: 800 }), "x".repeat(50_000)]).bytes();
    const [id = ""] = await store({ clock, storage }, { filename: "a.jpeg", mimeType: "image/jpeg", body });
    const find = async () => {
      const file = await files.findStored(db, id);
      return file && (await storage.pictureUrl(file, { width: 320, takesWebp: true }));
    };
    const { ended, closed } = await frozenAt(at, find);
    expect(ended).toBeUndefined();
    thaw();
    await within(closed, "the end of the connection");
    while (!(await find())) await Bun.sleep(10);
    expect(await look(db, "select count(*) n from file_variants where ready_at is null")).toMatchObject([{ n: 0 }]);
    expect(await Array.fromAsync(s3.openUploads("variants/"))).toEqual([]);
  },
);
