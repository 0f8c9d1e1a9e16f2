import { expect, test } from "bun:test";
import { z } from "zod";
import * as audit from "../../../db/audit";
import * as posts from "../../../db/posts/posts";
import * as files from "../../../db/storage/files";
import { set } from "../../../test/support/settings";
import { testService } from "../../../test/support/service";
import { draw } from "../../../test/support/storage/pictures";
import { store } from "../../../test/support/storage/stored-files";

const path = "/dashboard/storage";
const Post = z.object({ data: z.object({ files: z.array(z.unknown()) }) });
const partial = { "hx-request": "true", "hx-request-type": "partial" };

/** A signed-in manager, and these pictures. */
async function open(...contents: Parameters<typeof store>[1][]) {
  const service = await testService();
  const manager = await service.signIn();
  const ids = await store(service, ...contents);
  const text = async (to: string, more: Record<string, string> = {}) => (await manager.get(path + to, more)).text();
  const find = (id = "") => files.find(service.db, id);
  return { ...service, manager, ids, id: ids[0] ?? "", text, find };
}

const picture = (filename: string, more: object = {}) => ({ filename, mimeType: "image/png", ...more });

test("the page of a picture says its dimensions once they are known; until then not, and never 0", async () => {
  const { id, storage, text } = await open({
    ...picture("harbour.jpg"),
    body: await draw({ width: 1_200, height: 80, orientation: 6 }),
  });
  expect(await text(`/files/${id}`)).toContain("<dt>Dimensions</dt><dd>Not read yet</dd>");
  await storage.readPictures();
  const page = await text(`/files/${id}`);
  expect(page).toContain("<dt>Dimensions</dt><dd>80 × 1,200</dd>");
  expect(page).toMatch(
    /<img src="\/media\/[^"]+\/harbour\.jpg\?w=1280&amp;v=\w{8}" alt="Preview of harbour.jpg" width="80"/,
  );
});

test("those of a picture that cannot be read are unknown, and other files have none", async () => {
  const { ids, storage, text } = await open(picture("broken.png"), { filename: "logo.svg", mimeType: "image/svg+xml" });
  await storage.readPictures();
  expect(await text(`/files/${ids[0]}`)).toContain("<dt>Dimensions</dt><dd>Unknown</dd>");
  const drawing = await text(`/files/${ids[1]}`);
  expect(drawing).not.toContain("Dimensions");
  expect(drawing).not.toContain('name="alt"');
});

test("alternative text and focal point are kept with the file, by a form, and posts say them", async () => {
  const { db, find, get, id, manager, now, text } = await open(picture("a.png"));
  await posts.save(db, { slug: "a", title: "A", content: `/media/${id}/`, published: true, publishedAt: now() }, now());
  const ofPost = async () => Post.parse(await (await get("/api/posts/a")).json()).data.files[0];
  expect(await ofPost()).toMatchObject({ alt: null, focus: null });
  const answer = await manager.submit(`${path}/files/${id}/describe`, {
    ...{ alt: " Rain \r\n on <a> railing ", focalX: "15", focalY: "80" },
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/files/${id}`]);
  expect(await find(id)).toMatchObject({ alt: "Rain on <a> railing", focalX: 15, focalY: 80 });
  expect(await ofPost()).toMatchObject({ alt: "Rain on <a> railing", focus: { x: 15, y: 80 } });
  const page = await text(`/files/${id}`);
  expect(page).toContain(">Rain on &lt;a&gt; railing</textarea>");
  expect(page).toContain('class="focal fx-15 fy-80"');
  expect(page).toContain("Description saved.");
  await manager.submit(`${path}/files/${id}/describe`, { alt: "", focalX: "15", focalY: "80" });
  expect(await find(id)).toMatchObject({ alt: null, focalX: 15 });
  await manager.submit(`${path}/files/${id}/describe`, { alt: "", focalX: "15", focalY: "80" });
  const { events } = await audit.list(db, { group: "file" }, { page: 1, per: 50 });
  expect(events.filter(({ action }) => action === "file.caption")).toHaveLength(2);
});

test("a text that is too long is shown again, with the reason; nothing is stored", async () => {
  const { find, id, manager } = await open(picture("a.png"));
  for (const more of [{}, partial]) {
    const answer = await manager.submit(`${path}/files/${id}/describe`, { alt: "x".repeat(1_001) }, more);
    const page = await answer.text();
    expect(answer.status).toBe(422);
    expect(page).toContain("Alternative text must be at most 1,000 characters long.");
    expect(page).toContain("x".repeat(1_001));
  }
  for (const focalX of ["-1", "101", "1.5", "x"])
    expect((await manager.submit(`${path}/files/${id}/describe`, { focalX })).status).toBe(422);
  expect(await find(id)).toMatchObject({ alt: null, focalX: null });
});

test("the page says what uses a picture, with links", async () => {
  const { db, id, now, text } = await open(picture("a.png"));
  const address = `/media/${id}/a.png`;
  await posts.save(db, { slug: "a", title: "Of <rain>", coverImage: address, published: false }, now());
  await set(db, "welcomeText", `![](${address})`, { by: "cli" }, now());
  const page = await text(`/files/${id}`);
  expect(page).toMatch(/href="\/dashboard\/posts\/[0-9a-f-]{36}"><svg.*?<\/svg>Of &lt;rain&gt;/s);
  expect(page).toMatch(/href="\/dashboard\/settings\/welcome"><svg.*?<\/svg>Welcome email/s);
});
