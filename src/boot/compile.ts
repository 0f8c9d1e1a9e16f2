import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dir, "../..");
const cache = join(root, "node_modules/.cache/postroom");

/**
 * Returns the path of the program compiled from exactly these sources, whether or not it exists yet. Its name is a hash
 * of its inputs, so it is never stale. The folder is one of them, because compiled code knows where its files are
 * (`import.meta.dir`).
 */
export function programFile(): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${Bun.version_with_sha} ${root}`);
  const sources = ["src", "db", "views"].flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: "utf8", recursive: true })
      .filter((file) => /(?<!\.test)\.tsx?$|\.txt$/.test(file))
      .sort()
      .map((file) => `${folder}/${file}`),
  );
  for (const file of ["package-lock.json", "tsconfig.json", ...sources])
    hashFile(`${root}/${file}`, digest.update(`\0${file}\0`));
  return join(cache, digest.digest("hex").slice(0, 16), "cli.js");
}

const buffer = Buffer.allocUnsafe(2 ** 18);

/** Reads into one shared buffer: one for each file would trigger a garbage collection of some seven milliseconds. */
function hashFile(path: string, digest: Bun.CryptoHasher): void {
  const file = openSync(path, "r");
  try {
    let length: number;
    do {
      length = readSync(file, buffer);
      digest.update(buffer.subarray(0, length));
    } while (length === buffer.length);
  } finally {
    closeSync(file);
  }
}

/**
 * Bundles `src/cli.ts` with everything it imports into one file, with its bytecode next to it. The folder gets its
 * final name once its contents are synced to disk, so that a crash leaves either nothing or a complete folder. Folders
 * of other sources are removed.
 *
 * @throws if the sources have an error, or nothing can be written next to the installed packages
 */
async function compile(): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/cli.ts")],
    target: "bun",
    format: "cjs", // the only format with bytecode, for which Bun 1.4.5 accepts no source map
    bytecode: true,
    external: ["@simplewebauthn/server", "age-encryption", "csv-parse", "minio", "nodemailer", "resend"], // large, and loaded on first use
    plugins: [{ name: "where files are", setup: keepFolders }],
  });
  const folder = dirname(programFile());
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  for (const output of outputs)
    writeFileSync(join(temporary, output.path), Buffer.from(await output.arrayBuffer()), { mode: 0o644, flush: true });
  renameSync(temporary, folder);
  for (const other of readdirSync(cache))
    if (other !== basename(folder)) rmSync(join(cache, other), { recursive: true, force: true });
}

/** Our own modules find files next to themselves, but the compiled program is in one place. */
function keepFolders(build: Bun.PluginBuilder) {
  build.onLoad({ filter: /\/(src|db|views)\/.*\.tsx?$/ }, async ({ path, loader }) => ({
    contents: (await Bun.file(path).text()).replaceAll("import.meta.dir", JSON.stringify(dirname(path))),
    loader,
  }));
}

if (import.meta.main && !existsSync(programFile())) await compile();
