import { join } from "node:path";
import packageJson from "../../package.json";
import { tar } from "../platform/tar";

const root = join(import.meta.dir, "../..");
const folder = join(root, "src/client");

/** Names of what can be downloaded below /docs. */
export const clientPackage = "postroom-client.tgz";
const examplesPackage = "postroom-examples.tgz";

/**
 * Returns both packages by their names, as npm and tar read them, with the same bytes each time, since npm compares them.
 *
 * @param baseUrl of the service, from which the examples install the client
 */
export async function downloads(baseUrl: string): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const { client, examples } = await packages();
  const installed = `"postroom": "${baseUrl}/docs/${clientPackage}"`;
  const files = Object.entries(examples).map(([file, text]): [string, string] => [
    file,
    text.replace('"postroom": "file:../../../dist/client"', () => installed),
  ]);
  return {
    [clientPackage]: await packed("package", Object.entries(client)),
    [examplesPackage]: await packed("postroom-examples", files),
  };
}

async function packed(folder: string, files: [name: string, text: string][]): Promise<Uint8Array<ArrayBuffer>> {
  const entries = files.map(([name, text]) => ({ name: `${folder}/${name}`, text }));
  return Bun.gzipSync(Buffer.concat(await Array.fromAsync(tar(entries, async () => undefined))));
}

/** What the package has, each in a file of its own. */
export const modules = ["client", "pictures", "uppy"];

/** Examples that a service hands out, each a folder or file of docs/examples. */
const examples = ["resume-upload.ts", "astro/**", "next/**", "site/**"];

/** Texts by the name of their file. */
export type Files = Record<string, string>;

/** The client as it is published, and the examples that use it. */
type Packages = { client: Files; examples: Files };

/** The executable contains them ready (src/boot/build.ts); sources make them. */
const packages = (): Promise<Packages> =>
  Bun.isStandaloneExecutable ? Bun.file(join(root, "packages.json")).json() : madePackages();

/** Makes both from the sources, which takes a moment. */
export async function madePackages(): Promise<Packages> {
  return { client: await clientFiles(), examples: await textsOf(join(root, "docs/examples"), examples) };
}

async function clientFiles(): Promise<Files> {
  const declarations = Object.entries(await textsOf(join(folder, "declarations"), ["*.d.ts.txt"]));
  return {
    ...(await codeFiles()),
    ...Object.fromEntries(declarations.map(([name, text]) => [name.replace(/\.txt$/, ""), text])),
    "schema.d.ts": await Bun.file(join(folder, "schema.d.ts")).text(),
    "README.md": await Bun.file(join(root, "docs/client.md")).text(),
    LICENSE: await Bun.file(join(root, "LICENSE")).text(),
  };
}

/** What of the package runs: JavaScript in one file a module, and package.json. */
export async function codeFiles(): Promise<Files> {
  const files: Files = { "package.json": `${JSON.stringify(published, null, 2)}\n` };
  for (const name of modules) files[`${name}.js`] = await bundle(join(folder, `${name}.ts`));
  return files;
}

/** JavaScript of the client, or of a module that uses it, in one file. */
export async function bundle(entry: string, minify = false): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], minify, target: "browser", format: "esm" });
  return (await outputs[0]?.text()) ?? "";
}

async function textsOf(cwd: string, patterns: string[]): Promise<Files> {
  const names = patterns
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd, dot: true })].sort())
    .filter((name) => !/node_modules|\.env$/.test(name));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await Bun.file(join(cwd, name)).text()])),
  );
}

const { name, version, license, engines } = packageJson;
const published = {
  name,
  version,
  description: "Client of Postroom, a self-hosted backend for personal and company sites",
  license,
  type: "module",
  sideEffects: false,
  engines,
  exports: {
    "./client": { types: "./client.d.ts", default: "./client.js" },
    "./client/uppy": { types: "./uppy.d.ts", default: "./uppy.js" },
    "./client/pictures": { types: "./pictures.d.ts", default: "./pictures.js" },
  },
};
