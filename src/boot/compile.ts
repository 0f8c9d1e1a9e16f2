import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dir, "../..");
const cache = join(root, "node_modules/.cache/postroom");

/**
 * Where the compiled program of exactly these sources lies, or would lie: the name says what it was made of, so there is
 * no stale one. The folder is part of it too, because compiled code knows where its files are (`import.meta.dir`).
 */
export function programFile(): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${Bun.version_with_sha} ${root}`);
  const sources = ["src", "db", "views"].flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: "utf8", recursive: true })
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
      .sort()
      .map((file) => join(folder, file)),
  );
  for (const file of ["package-lock.json", "tsconfig.json", ...sources])
    digest.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return join(cache, digest.digest("hex").slice(0, 16), "cli.js");
}

/**
 * Puts `src/cli.ts` and all that it imports into one file, with its bytecode beside it. The folder gets its name when
 * everything in it is on disk, so that a crash leaves none or a whole one. Those of other sources are removed.
 *
 * @throws when the sources have an error, or nothing can be written beside the installed packages
 */
async function compile(): Promise<void> {
  const folder = dirname(programFile());
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/cli.ts")],
    target: "bun",
    format: "cjs", // the only one that has bytecode
    bytecode: true,
    external: ["@simplewebauthn/server", "csv-parse", "minio", "resend"], // large, and loaded when first used
    plugins: [{ name: "where files are", setup: keepFolders }],
  });
  for (const output of outputs)
    writeFileSync(join(temporary, output.path), Buffer.from(await output.arrayBuffer()), { mode: 0o644, flush: true });
  renameSync(temporary, folder);
  for (const other of readdirSync(cache))
    if (other !== basename(folder)) rmSync(join(cache, other), { recursive: true, force: true });
}

/** Our own modules find files beside them; in the compiled program they are all in one place. */
function keepFolders(build: Bun.PluginBuilder) {
  build.onLoad({ filter: /\/(src|db|views)\/.*\.tsx?$/ }, async ({ path, loader }) => ({
    contents: (await Bun.file(path).text()).replaceAll("import.meta.dir", JSON.stringify(dirname(path))),
    loader,
  }));
}

if (import.meta.main && !existsSync(programFile())) await compile();
