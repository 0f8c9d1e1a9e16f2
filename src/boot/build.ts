/**
 * `npm run build`: makes `dist/postroom`, one executable for this machine that needs no Node, no packages and no folder.
 * `-- --target=linux-arm64` makes `dist/postroom-linux-arm64`, and `-- --all` one for each system, with `SHA256SUMS`.
 * `-- --prove` runs the one for this machine in an empty root (test/bench/executable.ts).
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { assets } from "../../views/assets";
import { madePackages } from "../openapi/packages";
import { servedBytes } from "../http/assets";
import { minify } from "./compile";

const root = join(import.meta.dir, "../..");

/** The systems that there are executables for, by the ends of their files' names. */
const targets = new Map<string, Bun.Build.CompileTarget>([
  ["linux-x64", "bun-linux-x64"],
  ["linux-x64-musl", "bun-linux-x64-musl"],
  ["linux-arm64", "bun-linux-arm64"],
  ["linux-arm64-musl", "bun-linux-arm64-musl"],
  ["macos-x64", "bun-darwin-x64"],
  ["macos-arm64", "bun-darwin-arm64"],
  ["windows-x64", "bun-windows-x64"],
]);

const mostMegabytes = 130;

/** What the program reads beside its code. */
const contents = [
  "db/migrations/meta/_journal.json",
  "db/migrations/**/*.sql",
  "README.md",
  "docs/*.md",
  "docs/deploy/*.md",
  "src/demo/posts/*.mdx",
  "src/openapi/guides/*.md",
  "src/security/common-passwords.txt",
];

/**
 * Puts into a folder what the executable contains: those files, the files of the pages as they are served, the
 * packages that the documentation hands out, and the revision that `postroom version` shows.
 */
async function stage(folder: string, revision: string): Promise<void> {
  for (const pattern of contents)
    for (const file of new Bun.Glob(pattern).scanSync(root))
      await Bun.write(join(folder, file), Bun.file(join(root, file)));
  for (const asset of Object.values(assets)) await Bun.write(join(folder, asset.url), await servedBytes(asset));
  await Bun.write(join(folder, "packages.json"), JSON.stringify(await madePackages()));
  await Bun.write(join(folder, "revision"), revision);
}

/** @throws if the sources have an error, or Bun for that system cannot be downloaded */
async function compile(outfile: string, target?: Bun.Build.CompileTarget): Promise<void> {
  await Bun.build({
    entrypoints: [join(root, "src/cli.ts")],
    target: "bun",
    format: "esm", // where import.meta.dir is the folder inside the executable
    bytecode: true,
    external: ["file-type"], // Elysia’s, for files in forms, which we do not take; it does without
    minify,
    compile: {
      outfile,
      assets: readdirSync("."),
      autoloadBunfig: false,
      autoloadPackageJson: true,
      ...(target && { target }),
    },
    plugins: [{ name: "executable", setup: adapt }],
  });
}

/** In the executable our files are in one folder, and the commands are called by its name. */
function adapt(build: Bun.PluginBuilder) {
  // The types of files by their names, which the S3 client knows for files that it reads itself: we give it none
  build.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, () => ({ contents: "{}", loader: "json" }));
  // The same for files of emails: ours have none
  build.onLoad({ filter: /[\\/]mime-funcs[\\/]mime-types\.js$/ }, () => ({
    contents: "export const detectMimeType = () => 'application/octet-stream', detectExtension = () => 'bin';",
    loader: "js",
  }));
  // A copy of node:stream for other runtimes
  build.onLoad({ filter: /[\\/]readable-stream[\\/]readable\.js$/ }, () => ({
    contents: 'module.exports = require("node:stream");',
    loader: "js",
  }));
  // The S3 client takes six of its functions
  build.onLoad({ filter: /[\\/]lodash[\\/]lodash\.js$/ }, () => ({
    contents: ["chunk", "isEmpty", "mapKeys", "mapValues", "pick", "pickBy"]
      .map((name) => `exports.${name} = require("./${name}.js");`)
      .join("\n"),
    loader: "js",
  }));
  // The S3 client reads XML with another package, and only writes it with this one
  build.onLoad({ filter: /[\\/]xml2js[\\/]lib[\\/]parser\.js$/ }, () => ({ contents: "", loader: "js" }));
  // Certificates of security keys: passkeys that have one are refused before (src/security/passkeys.ts)
  build.onLoad({ filter: /[\\/](validateCertificatePath|isCertRevoked)\.js$/ }, ({ path }) => ({
    contents: `export function ${basename(path, ".js")}() { throw new Error("Certificates are not accepted"); }`,
    loader: "js",
  }));
  // Reads emails that Resend has received, which we never ask it for
  build.onLoad({ filter: /[\\/]postal-mime\.js$/ }, () => ({ contents: "export default undefined;", loader: "js" }));
  // The kinds of keys against quantum computers: `backup init` takes none (X25519 alone)
  build.onLoad({ filter: /[\\/]post-quantum[\\/]hybrid\.js$/ }, () => ({
    contents: "export const MLKEM768P256 = undefined, MLKEM768X25519 = undefined;",
    loader: "js",
  }));
  build.onLoad({ filter: /[\\/](src|db|views)[\\/].*\.tsx?$/ }, async ({ path, loader }) => {
    const folder = relative(root, dirname(path)).replaceAll("\\", "/");
    const text = await Bun.file(path).text();
    const placed = text.replaceAll("import.meta.dir", `(import.meta.dir + ${JSON.stringify(`/${folder}`)})`);
    return {
      // The quickstarts begin in a folder with the sources
      contents: folder === "src/openapi" ? placed : placed.replaceAll("npm run postroom -- ", "postroom "),
      loader,
    };
  });
}

/** What git calls this state of the sources: the tag of a release, or the commit. */
function revisionByGit(): string {
  try {
    const command = ["git", "describe", "--tags", "--always", "--dirty"];
    return Bun.spawnSync(command, { cwd: root, stderr: "ignore" }).stdout.toString().trim() || "–";
  } catch {
    return "–"; // no git
  }
}

const sha256Of = async (file: string) =>
  new Bun.CryptoHasher("sha256").update(await Bun.file(file).bytes()).digest("hex");

const { values } = parseArgs({
  options: {
    all: { type: "boolean" },
    prove: { type: "boolean" },
    target: { type: "string" },
    folder: { type: "string", default: join(root, "dist") },
    revision: { type: "string" },
  },
});
const wanted = values.all ? [...targets.keys()] : values.target ? [values.target] : [undefined];
const unknown = wanted.find((name) => name !== undefined && !targets.has(name));
if (unknown) throw new Error(`There is no target ${unknown}. Choose one of ${[...targets.keys()].join(", ")}.`);

const folder = resolve(values.folder);
mkdirSync(folder, { recursive: true });
const staged = mkdtempSync(join(tmpdir(), "postroom-build-"));
try {
  await stage(staged, values.revision ?? revisionByGit());
  process.chdir(staged); // the paths of the contents are relative to it
  const sums: string[] = [];
  for (const name of wanted) {
    const file = `postroom${name ? `-${name}` : ""}${(name ?? process.platform).startsWith("win") ? ".exe" : ""}`;
    const path = join(folder, file);
    await compile(path, targets.get(name ?? ""));
    chmodSync(path, 0o755);
    const megabytes = Math.round(statSync(path).size / 1e5) / 10;
    const isForUs = name === undefined; // Bun itself is larger for some systems
    console.log(
      `${path}\t${megabytes} MB${isForUs && megabytes > mostMegabytes ? `, more than ${mostMegabytes}` : ""}`,
    );
    sums.push(`${await sha256Of(path)}  ${file}\n`);
  }
  if (values.all) await Bun.write(join(folder, "SHA256SUMS"), sums.join(""));
} finally {
  process.chdir(root);
  rmSync(staged, { recursive: true, force: true });
}
if (values.prove) {
  const bench = ["bun", "test/bench/executable.ts", join(folder, "postroom")];
  process.exitCode = Bun.spawnSync(bench, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }).exitCode;
}
