import { trash } from "../../../db/storage/trash";
import * as posts from "../../../db/posts/posts";
import { store } from "../../support/storage/stored-files";
import type { Stage } from "./stage";

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="250"><rect width="400" height="250" fill="#7aa"/></svg>`;
const text = "# Harbour\n\nA long line.\n".repeat(80);

/** Puts files of each kind into the storage, one in the trash, and two uploads on their way. Returns the pages to see. */
export async function addStorageFixtures(stage: Stage): Promise<Record<string, string>> {
  const { db, now, owner, storage } = stage;
  const [cover = "", notes = "", , old = "", snow = ""] = await store(
    stage,
    { filename: "harbour.svg", mimeType: "image/svg+xml", body: svg },
    { filename: "notes on the harbour.md", mimeType: "text/markdown", body: text },
    { filename: "archive-2019.zip", mimeType: "application/zip" },
    { filename: "old draft.txt" },
    { filename: "snow.jpg", mimeType: "image/jpeg", folderPath: "photos/2026/winter" },
  );
  const published = { published: true, publishedAt: now(), coverImage: `/media/${cover}/harbour.svg` };
  await posts.save(db, { slug: "letters-that-arrive", title: "Letters that arrive", ...published }, now());
  await trash(db, old, { actor: owner.manager.email }, now());
  await storage.reserve({ filename: "keynote.mov", mimeType: "video/quicktime", size: 3e7, folderPath: "video" });
  const mine = { filename: "backup.zip", mimeType: "application/zip", size: 4e6, folderPath: "" };
  await storage.reserve({ ...mine, managerId: owner.manager.id });
  const path = "/dashboard/storage";
  return {
    storage: path,
    "a folder": `${path}?folder=photos%2F2026`,
    "an empty folder": `${path}?folder=video`,
    pictures: `${path}/pictures`,
    "pictures, no match": `${path}/pictures?show=used`,
    "a picture": `${path}/files/${snow}`,
    "storage, no match": `${path}?q=nothing+like+it`,
    "an image": `${path}/files/${cover}`,
    "a text": `${path}/files/${notes}`,
    "rename a file": `${path}/files/${notes}/rename`,
    "move a file": `${path}/files/${notes}/move`,
    "link to a file": `${path}/files/${notes}/link`,
    "new folder": `${path}/folders/new`,
    "storage trash": `${path}/trash`,
    "open uploads": `${path}/uploads`,
  };
}
