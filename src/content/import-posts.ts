import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as audit from "../../db/audit";
import type { Db } from "../../db/engine/open";
import * as posts from "../../db/posts/posts";
import { postIn, type SourceFile } from "./post-in-file";

/** The result for a file, actual or predicted: its post, or why it was rejected. */
export type ImportResult =
  | { file: string; outcome: posts.SavePreview["outcome"]; slug: string; title: string }
  | { file: string; outcome: "refused"; reason: string };

type ImportOptions = audit.Actor & { /** Saves nothing and returns the predicted results. */ dryRun?: boolean };

/**
 * Saves .md and .mdx files as posts, by slug: repeating it updates them, and unchanged posts are left alone. An
 * unusable file is named with its reason, and the others are saved. The audit log has one entry for all of them.
 */
export async function importPosts(
  db: Db,
  files: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  { dryRun = false, ...by }: ImportOptions,
  now: Date,
): Promise<ImportResult[]> {
  const fates: ImportResult[] = [];
  const fileOf = new Map<string, string>();
  const counts = { new: 0, changed: 0, same: 0, refused: 0 };
  const record = audit.entryInCommits({ ...by, action: "post.import" }, now);

  for await (const file of files) {
    const refuse = (reason: string) => {
      counts.refused++;
      fates.push({ file: file.name, outcome: "refused", reason });
    };
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
    counts[outcome]++;
    if (!dryRun && outcome !== "same")
      await posts.save(db, read.post, now, { actor: by.actor, record: (orm) => record(orm, counts) });
    fates.push({ file: file.name, outcome, slug, title: read.post.title });
  }
  if (!dryRun) await db.write((orm) => record(orm, counts));
  return fates;
}

export const isPostFile = (name: string) => /\.mdx?$/i.test(name);

/** Yields the .md and .mdx files under `folder`, by name. */
export async function* filesIn(folder: string): AsyncGenerator<SourceFile> {
  for (const name of (await readdir(folder, { recursive: true })).filter(isPostFile).sort())
    yield { name, bytes: () => Bun.file(join(folder, name)).bytes() };
}
