import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../../db/engine/open";
import * as posts from "../../db/posts/posts";
import { postIn, type SourceFile } from "./post-in-file";

/** The result for a file, actual or predicted: its post, or why it was rejected. */
export type ImportResult =
  | { file: string; outcome: posts.SavePreview["outcome"]; slug: string; title: string }
  | { file: string; outcome: "refused"; reason: string };

type ImportOptions = { actor: string; /** Saves nothing and returns the predicted results. */ dryRun?: boolean };

/**
 * Saves .md and .mdx files as posts, by slug: repeating it updates them, and unchanged posts are left alone. An
 * unusable file is named with its reason, and the others are saved.
 */
export async function importPosts(
  db: Db,
  files: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  { actor, dryRun = false }: ImportOptions,
  now: Date,
): Promise<ImportResult[]> {
  const fates: ImportResult[] = [];
  const fileOf = new Map<string, string>();

  for await (const file of files) {
    const refuse = (reason: string) => fates.push({ file: file.name, outcome: "refused", reason });
    const read = await postIn(file);
    if ("reason" in read) {
      refuse(read.reason);
      continue;
    }
    const { outcome, slug } = await posts.previewSave(db, read.post, now);
    const other = fileOf.get(slug);
    if (other !== undefined) {
      refuse(`its slug ${slug} is already used by ${other}`);
      continue;
    }
    fileOf.set(slug, file.name);
    if (!dryRun && outcome !== "same") await posts.save(db, read.post, now, actor);
    fates.push({ file: file.name, outcome, slug, title: read.post.title });
  }
  return fates;
}

export const isPostFile = (name: string) => /\.mdx?$/i.test(name);

/** Yields the .md and .mdx files under `folder`, by name. */
export async function* filesIn(folder: string): AsyncGenerator<SourceFile> {
  for (const name of (await readdir(folder, { recursive: true })).filter(isPostFile).sort())
    yield { name, bytes: () => Bun.file(join(folder, name)).bytes() };
}
