import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dir, "../..");
const cache = join(root, "node_modules/.cache/postroom");

/**
 * Returns the path of the program compiled from exactly these sources, whether or not it exists yet. Its name is a hash
 * of its inputs, so it is never stale. The folder is one of them, because compiled code knows where its files are
 * (`import.meta.dir`). They are read only if the size or the time of one of them, or of a folder, is another than when
 * the program was compiled: reading them all is a tenth of the start.
 */
export function programFile(): string {
  const compiled = existsSync(cache) ? readdirSync(cache).find(isUnchanged) : undefined;
  return join(cache, compiled ?? hashOfInputs(), "cli.js");
}

const stampsFile = "inputs.txt";
const compiler = `${Bun.version_with_sha} ${root}`;

function isUnchanged(program: string): boolean {
  const file = join(cache, program, stampsFile);
  if (!existsSync(file)) return false;
  const [by, ...stamps] = readFileSync(file, "utf8").split("\n");
  return by === compiler && stamps.every((stamp) => stamp === stampOf(stamp.slice(stamp.lastIndexOf("\t") + 1)));
}

/** Returns the size and the time of the last change of a file or a folder. */
function stampOf(path: string): string {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  return [stat?.size, stat?.mtimeMs, path].join("\t");
}

const folders = ["src", "db", "views"];

/** Returns the files and the folders that the program is made from. A file that comes or goes changes its folder. */
const inputs = () =>
  ["package-lock.json", "tsconfig.json", ...folders].concat(
    folders.flatMap((folder) =>
      readdirSync(join(root, folder), { encoding: "utf8", recursive: true })
        .filter((path) => /(?<!\.test)\.tsx?$|\.txt$|^[^.]+$/.test(path))
        .sort()
        .map((path) => `${folder}/${path}`),
    ),
  );

function hashOfInputs(): string {
  const digest = new Bun.CryptoHasher("sha256").update(compiler);
  for (const path of inputs().filter((path) => /\.[a-z]+$/.test(path)))
    hashFile(`${root}/${path}`, digest.update(`\0${path}\0`));
  return digest.digest("hex").slice(0, 16);
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

/** Names stay, for stack traces. */
export const minify = { whitespace: true, syntax: true, identifiers: true, keepNames: true };

/**
 * Bundles `src/cli.ts` with everything it imports into one file, with its bytecode next to it: a service that runs needs
 * no file of a folder that a newer version removes. The folder gets its final name once its contents are synced to disk,
 * so that a crash leaves either nothing or a complete folder. Folders of other sources are removed.
 *
 * @throws if the sources have an error, or nothing can be written next to the installed packages
 */
async function compile(): Promise<void> {
  const stamps = [compiler, ...inputs().map(stampOf)].join("\n"); // before they are read: what changes meanwhile is seen
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/cli.ts")],
    target: "bun",
    format: "cjs", // the only format with bytecode, for which Bun 1.4.5 accepts no source map
    bytecode: true,
    minify,
    external: ["@simplewebauthn/server", "age-encryption", "csv-parse", "file-type", "minio", "nodemailer", "resend"], // large, and loaded on first use
    plugins: [{ name: "where files are", setup: keepFolders }],
  });
  const folder = dirname(programFile());
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  for (const output of outputs)
    writeFileSync(join(temporary, output.path), Buffer.from(await output.arrayBuffer()), { mode: 0o644, flush: true });
  renameSync(temporary, folder);
  writeFileSync(join(folder, stampsFile), stamps, { mode: 0o644 }); // last: a program is looked for by them
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
