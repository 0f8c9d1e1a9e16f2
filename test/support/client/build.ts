import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import packageJson from "../../../package.json";

const root = join(import.meta.dir, "../../..");
export const clientFolder = join(root, "src/client");

/** What the package has, each in a file of its own. */
const modules = ["client", "pictures", "uppy"];

/** What of an OpenAPI document the routes of the client are made of. */
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content?: object }> }>>;
};

/** The files of the client that are made from the document: their texts by name. */
export async function generatedFrom(document: string): Promise<Record<"schema.d.ts" | "routes.ts", string>> {
  const generated = "// Made from /openapi.json by `npm run client`.\n";
  const types = astToString(await openapiTS(document));
  const { paths }: Document = JSON.parse(document);
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, responses }]) => {
      const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      const [type] = answers.flatMap(([, { content = {} }]) => Object.keys(content));
      const accepted = type === "application/json" ? "" : " */*";
      return `  ${operationId}: "${method.toUpperCase()} ${path}${accepted}",\n`;
    }),
  );
  return {
    "schema.d.ts": generated + types,
    "routes.ts": `${generated}/** Method and path of each operation, and what is accepted if that is not JSON. */\nexport const routes = {\n${routes.join("")}} as const;\n`,
  };
}

/** JavaScript of the client, or of a module that uses it, in one file. */
export async function bundle(entry: string, minify = false): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], minify, target: "browser", format: "esm" });
  return (await outputs[0]?.text()) ?? "";
}

/** Writes what of the package runs: JavaScript in one file, and package.json. */
export async function writeCode(folder: string): Promise<void> {
  for (const name of modules)
    await Bun.write(join(folder, `${name}.js`), await bundle(join(clientFolder, `${name}.ts`)));
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
}

/** Writes the package as it is published: code, types, README and licence. */
export async function writePackage(folder: string): Promise<void> {
  await writeCode(folder);
  for (const [name, text] of Object.entries(declarations())) await Bun.write(join(folder, name), text);
  await Bun.write(join(folder, "schema.d.ts"), Bun.file(join(clientFolder, "schema.d.ts")));
  await Bun.write(join(folder, "README.md"), Bun.file(join(root, "docs/client.md")));
  await Bun.write(join(folder, "LICENSE"), Bun.file(join(root, "LICENSE")));
}

/** Writes a program that calls everything with the package as it is published: `smoke.mjs`, of a URL and a key. */
export async function writeSmoke(folder: string): Promise<void> {
  await writePackage(join(folder, "node_modules/postroom"));
  const source = await Bun.file(join(import.meta.dir, "smoke.ts")).text();
  const script = new Bun.Transpiler({ loader: "ts" })
    .transformSync(source)
    .replace("../../../src/client/client", "postroom/client");
  const main = "console.log(JSON.stringify(await smoke(process.argv[2], process.argv[3])));";
  await Bun.write(join(folder, "smoke.mjs"), `${script}\n${main}\n`);
  await Bun.write(join(folder, "package.json"), '{ "type": "module" }');
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

/** The declarations of each module. @throws if it does not compile under `strict` for browsers and servers alike */
function declarations(): Record<string, string> {
  const program = ts.createProgram(
    modules.map((name) => join(clientFolder, `${name}.ts`)),
    {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      declaration: true,
      stripInternal: true,
      emitDeclarationOnly: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
      types: [],
    },
  );
  const wrong = ts.getPreEmitDiagnostics(program);
  const host = { getCanonicalFileName: String, getCurrentDirectory: () => root, getNewLine: () => "\n" };
  if (wrong.length) throw new Error(ts.formatDiagnostics(wrong, host));
  const files: Record<string, string> = {};
  program.emit(undefined, (path, text) => {
    // Node's own resolution, of which TypeScript's is a copy, wants to know the extension
    files[path.slice(path.lastIndexOf("/") + 1)] = text.replace(/(from |import\()"(\.\/\w+)"/g, '$1"$2.js"');
  });
  return files;
}
