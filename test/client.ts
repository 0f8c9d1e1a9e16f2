/**
 * `npm run client`: makes the client's types and routes from the document, writes the package to dist/client as it is
 * published, compiles a site that uses it with the last three majors of TypeScript, and calls everything in each runtime,
 * each with a service of its own, as far as npm has them.
 */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { bundle, clientFolder, declarations, generatedFrom, writePackage, writeSmoke } from "./support/client/build";
import { connected, fillSite } from "./support/client/connected";
import { smokeLines } from "./support/client/smoke";
import { temporaryFolder } from "./support/processes";
import { testService } from "./support/service";

const compilers = ["5.9.3", "6.0.3", "7.0.2"];

const service = await testService();
const generated = await generatedFrom(await (await service.get("/openapi.json")).text());
for (const [name, text] of Object.entries(generated)) await Bun.write(join(clientFolder, name), text);
for (const [name, text] of Object.entries(declarations())) await Bun.write(join(clientFolder, name), text);
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

/** Runtimes by their packages, and how each runs the smoke test. */
const runtimes: { npm: string; name: string; run: (url: string, key: string) => string[] }[] = [
  ...["20", "22", "24"].map((major) => ({
    npm: `node@${major}`,
    name: "node",
    run: (url: string, key: string) => ["smoke.mjs", url, key],
  })),
  {
    npm: "deno@2.9.6",
    name: "deno",
    run: (url, key) => ["run", "--node-modules-dir=manual", "--allow-net", "smoke.mjs", url, key],
  },
  { npm: "workerd@1.20261117.1", name: "workerd", run: () => ["test", "workerd.capnp"] },
];

/** Calls the same in a Worker: one module, which gets the URL and the key as bindings. */
const workerdConfig = (url: string, key: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2026-11-01",
    bindings = [(name = "url", text = "${url}"), (name = "key", text = "${key}")],
  )),
  (name = "internet", network = (allow = ["local", "private", "public"])),
]);
`;
const worker = `import { smoke } from ${JSON.stringify(join(import.meta.dir, "support/client/smoke"))};
export default { test: async (_, { url, key }) => console.log(JSON.stringify(await smoke(url, key))) };
`;
await writeSmoke(site.path);
await Bun.write(join(site.path, "worker.ts"), worker);
await Bun.write(join(site.path, "worker.js"), await bundle(join(site.path, "worker.ts")));

for (const { npm, name, run } of runtimes) {
  const npx = ["--yes", "-p", npm, name];
  const version = await $`npx ${npx} --version`.cwd(site.path).nothrow().quiet();
  if (version.exitCode) {
    console.log(`${npm}: not at hand, npm does not have it for this machine`);
    continue;
  }
  await using fresh = await connected({ part: 5 * 2 ** 20 });
  await fillSite(fresh.service);
  await Bun.write(join(site.path, "workerd.capnp"), workerdConfig(fresh.url, fresh.key));
  const { exitCode, stdout, stderr } = await $`npx ${npx} ${run(fresh.url, fresh.key)}`
    .cwd(site.path)
    .nothrow()
    .quiet();
  const printed = stdout
    .toString()
    .split("\n")
    .find((line) => line.startsWith("["));
  const isSame = exitCode === 0 && printed === JSON.stringify(smokeLines);
  isGood &&= isSame;
  const [found = ""] = version.stdout.toString().split("\n");
  console.log(`${npm} (${found}): ${isSame ? `PASS ${smokeLines.length} calls` : `MISS\n${printed ?? ""}\n${stderr}`}`);
}
process.exit(isGood ? 0 : 1);
