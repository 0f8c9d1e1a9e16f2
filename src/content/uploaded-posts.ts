import { isPostFile, type SourceFile } from "./import-posts";
import { NotAnArchive, unzip } from "./unzip";

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
