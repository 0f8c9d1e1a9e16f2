import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { codeFiles, type Files, madePackages, modules } from "../../../src/openapi/packages";

export { bundle } from "../../../src/openapi/packages";

const root = join(import.meta.dir, "../../..");
export const clientFolder = join(root, "src/client");

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
      if (type === "application/gzip") return ""; // downloaded by npm and tar, not called
      const accepted = type === "application/json" ? "" : " */*";
      return `  ${operationId}: "${method.toUpperCase()} ${path}${accepted}",\n`;
    }),
  );
  return {
    "schema.d.ts": generated + types,
    "routes.ts": `${generated}/** Method and path of each operation, and what is accepted if that is not JSON. */\nexport const routes = {\n${routes.join("")}} as const;\n`,
  };
}

const writeFiles = async (folder: string, files: Files) => {
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
};

/** Writes what of the package runs: JavaScript in one file, and package.json. */
export const writeCode = async (folder: string) => writeFiles(folder, await codeFiles());

/** Writes the package as it is published: code, types, README and licence. */
export const writePackage = async (folder: string) => writeFiles(folder, (await madePackages()).client);

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

/**
 * The files with the declarations of each module: their texts by name.
 *
 * @throws if it does not compile under `strict` for browsers and servers alike
 */
export function declarations(): Files {
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
    files[`declarations/${path.slice(path.lastIndexOf("/") + 1)}.txt`] = text.replace(
      /(from |import\()"(\.\/\w+)"/g,
      '$1"$2.js"',
    );
  });
  return files;
}
