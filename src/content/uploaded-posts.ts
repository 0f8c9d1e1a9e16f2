import { isPostFile, type SourceFile } from "./import-posts";
import { NotAnArchive, unzip } from "./unzip";

/** What managers may bring at once; the command line takes any number. */
const limits = { files: 5_000, each: 4 * 2 ** 20, total: 64 * 2 ** 20 };

const maxGrowth = 20; // times its size that an archive may unpack to: texts reach ten, and bombs a thousand (P67)

const isArchive = ({ name, type }: File) => /\.zip$/i.test(name) || /^application\/(x-)?zip/.test(type);

/** Programs for archives add files of their own, whose names say so. */
const isPost = (name: string) => isPostFile(name) && !/(^|\/)(\.|__MACOSX\/)/.test(name);

/**
 * The posts among uploaded files, those in archives too.
 *
 * @throws NotAnArchive, with a sentence, when an archive cannot be used or there are too many files
 */
export async function* postsAmong(files: File[]): AsyncGenerator<SourceFile> {
  let left = limits.total;
  let count = 0;
  for (const file of files)
    for await (const { name, bytes } of isArchive(file) ? archived(file, left) : singleFile(file)) {
      left -= bytes.length;
      if (++count > limits.files || left < 0) throw new NotAnArchive("These are too many posts at once.");
      yield { name, bytes: async () => bytes };
    }
}

async function* archived(file: File, left: number) {
  const archive = Buffer.from(await file.arrayBuffer());
  const total = Math.min(left, Math.max(2 ** 20, maxGrowth * archive.length));
  for (const entry of unzip(archive, { ...limits, total }, isPost)) {
    yield entry;
    await new Promise((turn) => setImmediate(turn)); // others get their turn between two files
  }
}

async function* singleFile(file: File) {
  if (isPostFile(file.name)) yield { name: file.name, bytes: await file.bytes() };
}
