import { expect, test } from "bun:test";
import { z } from "zod";
import { sourceSet } from "../../db/storage/picture-widths";
import * as posts from "../../db/posts/posts";
import { testService } from "../../test/support/service";
import { draw } from "../../test/support/storage/pictures";
import { store } from "../../test/support/storage/stored-files";
import { type Picture, srcset } from "./pictures";

const Post = z.object({ data: z.object({ files: z.array(z.custom<Picture>()) }) });

/** A service with a photo of 1,500 pixels that a published post shows. */
async function start() {
  const service = await testService();
  const { db, now, storage } = service;
  const body = await draw({ width: 1_500, height: 1_000 });
  const [id = ""] = await store(service, { filename: "harbour.jpg", mimeType: "image/jpeg", body });
  const content = `![The harbour](/media/${id}/harbour.jpg)`;
  await posts.save(db, { slug: "a", title: "A", content, published: true, publishedAt: now() }, now());
  const files = async () => Post.parse(await (await service.get("/api/posts/a")).json()).data.files;
  return { id, files, read: () => storage.readPictures() };
}

test("a post says what is known of its pictures, also what is learned later", async () => {
  const { id, files, read } = await start();
  const url = `http://localhost:3000/media/${id}/harbour.jpg`;
  const file = { id, url, mimeType: "image/jpeg", width: null, height: null, alt: null, focus: null };
  expect(await files()).toEqual([file]);
  await read();
  expect(await files()).toEqual([{ ...file, width: 1_500, height: 1_000 }]);
});

test("srcset() makes the attributes of an image, with the widths that the service makes", async () => {
  const { files, read } = await start();
  const nothing = { url: "", width: null, height: null };
  const [unread = nothing] = await files();
  expect(srcset(unread)).toEqual({ src: unread.url });
  await read();
  const [{ url, ...picture } = nothing] = await files();
  const sizes = "(max-width: 40rem) 100vw, 40rem";
  expect(srcset({ url, ...picture }, sizes)).toEqual({
    src: `${url}?w=1280`,
    srcset: `${url}?w=320 320w, ${url}?w=640 640w, ${url}?w=960 960w, ${url}?w=1280 1280w, ${url}?w=1600 1500w`,
    sizes,
    width: 1_500,
    height: 1_000,
  });
  for (const width of [1, 320, 321, 2_560, 9_000])
    expect(srcset({ url, width, height: 1 }).srcset).toBe(sourceSet(url, width));
});
