import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Db } from "../../db/engine/open";
import * as posts from "../../db/posts/posts";
import { readPost } from "./front-matter";

/** A file, with its path relative to the import. */
export type SourceFile = { name: string; bytes: () => Promise<Uint8Array> };
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

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

async function postIn({ name, bytes }: SourceFile): Promise<{ post: posts.NewPost } | { reason: string }> {
  const content = await bytes();
  try {
    return { post: readPost(decoded(content), slugFromPath(name)) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Error("it is not valid UTF-8");
  }
}

export const isPostFile = (name: string) => /\.mdx?$/i.test(name);

/** Yields the .md and .mdx files under `folder`, by name. */
export async function* filesIn(folder: string): AsyncGenerator<SourceFile> {
  for (const name of (await readdir(folder, { recursive: true })).filter(isPostFile).sort())
    yield { name, bytes: () => Bun.file(join(folder, name)).bytes() };
}

/** Returns the slug from the file name, without a leading date; an index file takes the name of its folder. */
function slugFromPath(file: string): string {
  const [folder, name] = file.slice(0, -extname(file).length).split(/[\\/]/).slice(-2);
  const called = name === undefined ? folder : name === "index" ? folder : name;
  return (called ?? "").replace(/^\d{4}-\d{2}-\d{2}-(?=.)/, "");
}
