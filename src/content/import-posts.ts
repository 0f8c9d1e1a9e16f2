import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Db } from "../../db";
import * as posts from "../../db/posts";
import { readPost } from "./front-matter";

export type Imported = { saved: string[]; refused: { file: string; reason: string }[] };

/**
 * Saves every .md and .mdx file under `folder` as a post, by slug: doing it again updates. A file that cannot be used
 * is named with its reason, and the others are saved.
 */
export async function importPosts(db: Db, folder: string, now: Date): Promise<Imported> {
  const result: Imported = { saved: [], refused: [] };
  const fileOf = new Map<string, string>();

  for (const file of await filesIn(folder)) {
    try {
      const post = readPost(await Bun.file(join(folder, file)).text(), nameOf(file));
      const other = fileOf.get(post.slug);
      if (other) throw new Error(`its slug ${post.slug} is taken by ${other}`);
      fileOf.set(post.slug, file);
      await posts.save(db, post, now);
      result.saved.push(post.slug);
    } catch (error) {
      result.refused.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return result;
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true })).filter((file) => /\.mdx?$/i.test(file)).sort();

/** The file's name says the slug, without a date in front; an index file is called like its folder. */
function nameOf(file: string): string {
  const [folder, name] = file.slice(0, -extname(file).length).split(/[\\/]/).slice(-2);
  const called = name === undefined ? folder : name === "index" ? folder : name;
  return (called ?? "").replace(/^\d{4}-\d{2}-\d{2}-(?=.)/, "");
}
