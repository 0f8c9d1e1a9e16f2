import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { freePort, temporaryFolder } from "../../support/processes";
import { testTimeoutMs, within } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

/** A checkout of its own, so that no other compiled program is removed. */
const folder = temporaryFolder();
const root = folder.path;
const cache = join(root, "node_modules/.cache");
const original = join(import.meta.dir, "../../..");
const copy = (name: string) => cpSync(join(original, name), join(root, name), { recursive: true });

beforeAll(() => {
  const files = ["package.json", "package-lock.json", "tsconfig.json", "bunfig.toml"];
  for (const name of ["src", "db", "views", "public", ...files]) copy(name);
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(join(original, "node_modules")))
    if (name !== ".cache") symlinkSync(join(original, "node_modules", name), join(root, "node_modules", name));
});
afterAll(() => folder[Symbol.dispose]());

/** Instead of the whole program, whose compilation takes two seconds, one that has a text and prints its usage. */
function keepLittle() {
  rmSync(cache, { recursive: true, force: true });
  for (const name of ["src", "db", "views"]) {
    rmSync(join(root, name), { recursive: true });
    mkdirSync(join(root, name));
  }
  for (const name of ["src/boot/start.ts", "src/boot/compile.ts"]) copy(name);
  mkdirSync(join(root, "src/cli"));
  writeFileSync(join(root, "src/cli.ts"), 'import { run } from "./cli/run";\nrun();\n');
  const imported = 'import words from "./words.txt" with { type: "text" };\n';
  writeFileSync(join(root, "src/cli/words.txt"), "npm run postroom -- <command>");
  writeFileSync(
    join(root, "src/cli/run.ts"),
    `${imported}export const run = () => console.log(\`Usage: \${words}\`);\n`,
  );
}

const compiling = /^Compiling Postroom, [^\n]*\n$/;

/** Which program prints the help: the compiled one, or the sources. @param says on stderr, if it has to be compiled */
function help(says?: RegExp) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, "--no-env-file", "src/boot/start.ts", "help"], {
    cwd: root,
    env: { PATH: "/usr/bin:/bin", HOME: root },
  });
  const said = says ? expect.stringMatching(says) : "";
  expect({ exitCode, said: stderr.toString() }).toEqual({ exitCode: 0, said });
  return stdout.toString().split("\n")[0];
}

const compiled = () => (existsSync(join(cache, "postroom")) ? readdirSync(join(cache, "postroom")) : []);
const program = () => join(cache, "postroom", compiled()[0] ?? "", "cli.js");
const asEver = "Usage: npm run postroom -- <command>";

test("a service that runs needs nothing of its compiled folder, which a newer version removes", async () => {
  using data = temporaryFolder();
  const url = `http://127.0.0.1:${freePort()}`;
  const service = Bun.spawn([process.execPath, "--no-env-file", "src/boot/start.ts", "serve"], {
    cwd: root,
    env: { PATH: "/usr/bin:/bin", HOME: root, DATA_DIR: data.path, PORT: new URL(url).port, BASE_URL: url },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const statusOf = async (path: string) => (await fetch(url + path).catch(() => undefined))?.status;
  while ((await statusOf("/readyz")) !== 200 && service.exitCode === null) await Bun.sleep(5);
  expect(service.exitCode).toBeNull();
  rmSync(join(cache, "postroom"), { recursive: true });
  expect([await statusOf("/dashboard/sign-in"), await statusOf("/openapi.json")]).toEqual([200, 200]);
  service.kill();
  await within(service.exited, "the end of the service");
});

test("the first start compiles the program, and the next one runs what was compiled", () => {
  expect(help(compiling)).toBe(asEver);
  expect(compiled()).toHaveLength(1);
  const bytecode = Bun.file(`${program()}.jsc`);
  expect(bytecode.size).toBeGreaterThan(1_000_000);
  writeFileSync(program(), 'process.stdout.write("compiled\\n");');
  expect(help()).toBe("compiled");
});

test("where nothing can be written beside the packages, the sources run", () => {
  rmSync(cache, { recursive: true });
  writeFileSync(cache, "");
  expect(help(/^Compiling [^\n]*\nIt could not be compiled, so it starts slowly: E[A-Z]+: [^\n]*\n$/)).toBe(asEver);
});

test("a change of a source is there at the next start, and what was compiled before is removed", () => {
  keepLittle();
  expect(help(compiling)).toBe(asEver);
  const [before] = compiled();
  const source = join(root, "src/cli/run.ts");
  const text = readFileSync(source, "utf8");
  writeFileSync(source, text.replace("Usage: ", "How it is used: "));
  expect(help(compiling)).toBe("How it is used: npm run postroom -- <command>");
  expect(compiled()).toHaveLength(1);
  expect(compiled()).not.toContain(before);
  writeFileSync(source, text);
  expect(help(compiling)).toBe(asEver);
});

test("a change of a text that the program includes is there at the next start, too", () => {
  const [before] = compiled();
  const source = join(root, "src/cli/words.txt");
  const text = readFileSync(source, "utf8");
  writeFileSync(source, "please");
  expect(help(compiling)).toBe("Usage: please");
  expect(compiled()).not.toContain(before);
  writeFileSync(source, text);
  expect(help(compiling)).toBe(asEver);
});

test("sources that were only copied or touched are not compiled again", () => {
  utimesSync(join(root, "src/cli/run.ts"), 1, 1);
  const before = compiled();
  expect(help()).toBe(asEver);
  expect(compiled()).toEqual(before);
});

test("a change that keeps the size of a source is seen, too", () => {
  const source = join(root, "src/cli/run.ts");
  const text = readFileSync(source, "utf8");
  writeFileSync(source, text.replace("Usage: ", "usage: "));
  expect(help(compiling)).toBe("usage: npm run postroom -- <command>");
  writeFileSync(source, text);
  expect(help(compiling)).toBe(asEver);
});

test("an interrupted compilation is not mistaken for a program", () => {
  const [name = ""] = compiled();
  rmSync(join(cache, "postroom", name), { recursive: true });
  mkdirSync(join(cache, "postroom", `${name}.1`));
  writeFileSync(join(cache, "postroom", `${name}.1`, "cli.js"), 'process.stdout.write("half")');
  expect(help(compiling)).toBe(asEver);
  expect(compiled()).toEqual([name]);
});

test("sources with a mistake say so, and where", () => {
  appendFileSync(join(root, "src/cli/run.ts"), "\nconst = 1;");
  const { stderr, exitCode } = Bun.spawnSync([process.execPath, "src/boot/start.ts", "help"], { cwd: root });
  expect(exitCode).not.toBe(0);
  expect(stderr.toString()).toContain("src/cli/run.ts");
});
