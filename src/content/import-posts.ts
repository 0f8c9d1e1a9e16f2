import { messageOf } from "../platform/log";
import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import * as audit from "../../db/audit";
import type { Db } from "../../db/engine/open";
import * as posts from "../../db/posts/posts";
import { utf8Text } from "./csv/encoding";
import { readPost } from "./front-matter";
import { NotAnArchive, unzip } from "./zip";

/** A file, with its path relative to the import. */
export type SourceFile = { name: string; bytes: () => Promise<Uint8Array> };

async function postIn({ name, bytes }: SourceFile): Promise<{ post: posts.NewPost } | { reason: string }> {
  const content = await bytes();
  try {
    return { post: readPost(decoded(content), slugFromPath(name)) };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

function decoded(bytes: Uint8Array): string {
  const text = utf8Text(bytes);
  if (text === undefined) throw new Error("it is not valid UTF-8");
  return text;
}

/** Returns the slug from the file name, without a leading date; an index file takes the name of its folder. */
function slugFromPath(file: string): string {
  const [folder, name] = file.slice(0, -extname(file).length).split(/[\\/]/).slice(-2);
  const called = name === undefined ? folder : name === "index" ? folder : name;
  return (called ?? "").replace(/^\d{4}-\d{2}-\d{2}-(?=.)/, "");
}

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

const isPostFile = (name: string) => /\.mdx?$/i.test(name);

/** Yields the .md and .mdx files under `folder`, by name. */
export async function* filesIn(folder: string): AsyncGenerator<SourceFile> {
  for (const name of (await readdir(folder, { recursive: true })).filter(isPostFile).sort())
    yield { name, bytes: () => Bun.file(join(folder, name)).bytes() };
}

/** What managers may upload at once; the command line accepts any number. */
const limits = { files: 5_000, each: 4 * 2 ** 20, total: 64 * 2 ** 20 };

const maxGrowth = 20; // how many times its size an archive may unpack to: texts reach ten, bombs a thousand

const isArchive = ({ name, type }: File) => /\.zip$/i.test(name) || /^application\/(x-)?zip/.test(type);

/** Archive programs add files of their own, recognisable by their names. */
const isPost = (name: string) => isPostFile(name) && !/(^|\/)(\.|__MACOSX\/)/.test(name);

/**
 * Yields the posts among uploaded files, including those in archives.
 *
 * @throws NotAnArchive, with a message, if an archive cannot be used or there are too many files
 */
export async function* postsAmong(files: File[]): AsyncGenerator<SourceFile> {
  let left = limits.total;
  let count = 0;
  for (const file of files)
    for await (const { name, bytes } of isArchive(file) ? archived(file, left) : singleFile(file)) {
      left -= bytes.length;
      if (++count > limits.files || left < 0) throw new NotAnArchive("Too many posts for one import.");
      yield { name, bytes: async () => bytes };
    }
}

async function* archived(file: File, left: number) {
  const archive = Buffer.from(await file.arrayBuffer());
  const total = Math.min(left, Math.max(2 ** 20, maxGrowth * archive.length));
  for (const entry of unzip(archive, { ...limits, total }, isPost)) {
    yield entry;
    await new Promise((turn) => setImmediate(turn)); // other requests run between two files
  }
}

async function* singleFile(file: File) {
  if (isPostFile(file.name)) yield { name: file.name, bytes: await file.bytes() };
}
