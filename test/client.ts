/**
 * `npm run client`: makes the client's types and routes from the document, writes the package to dist/client as it is
 * published, and compiles a site that uses it with the last three majors of TypeScript, as far as npm has them.
 */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { bundle, clientFolder, generatedFrom, writePackage } from "./support/client/build";
import { temporaryFolder } from "./support/processes";
import { testService } from "./support/service";

const compilers = ["5.9.3", "6.0.3", "7.0.2"];

const service = await testService();
const generated = await generatedFrom(await (await service.get("/openapi.json")).text());
for (const [name, text] of Object.entries(generated)) await Bun.write(join(clientFolder, name), text);
const folder = join(import.meta.dir, "../dist/client");
await writePackage(folder);
const minified = await bundle(join(clientFolder, "client.ts"), true);
console.log(`${folder}: ${Bun.gzipSync(minified).length} bytes, minified and compressed`);

/** A site that calls everything. Exit code 1 if a compiler complains about it or about the package's declarations. */
const smoke = await Bun.file(join(import.meta.dir, "support/client/smoke.ts")).text();
using site = temporaryFolder();
await Bun.write(join(site.path, "package.json"), '{ "type": "module" }');
await Bun.write(join(site.path, "site.ts"), smoke.replace("../../../src/client/client", "postroom/client"));
await $`mkdir node_modules`.cwd(site.path);
symlinkSync(folder, join(site.path, "node_modules/postroom"));
const compilerOptions = {
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: "es2023",
  module: "nodenext",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: [],
};
await Bun.write(join(site.path, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["site.ts"] }));
let isGood = true;
for (const version of compilers) {
  const tsc = ["--yes", "-p", `typescript@${version}`, "tsc"];
  const fetched = await $`npx ${tsc} --version`.cwd(site.path).nothrow().quiet();
  if (fetched.exitCode) {
    console.log(`TypeScript ${version}: skipped, npm does not have it`);
    continue;
  }
  const { exitCode, stdout } = await $`npx ${tsc}`.cwd(site.path).nothrow().quiet();
  isGood &&= exitCode === 0;
  console.log(`TypeScript ${version}: ${exitCode ? `MISS\n${stdout}` : "PASS"}`);
}
process.exit(isGood ? 0 : 1);
