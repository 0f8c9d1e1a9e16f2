import { expect, test } from "bun:test";
import { join } from "node:path";
import { scopes } from "../../db/schema/scopes";
import { writeCode } from "../../test/support/client/build";
import { connected, fillSite } from "../../test/support/client/connected";
import { requestOf } from "../../test/support/docs/curl";
import { blocks, programs } from "../../test/support/docs/guides";
import { temporaryFolder } from "../../test/support/processes";
import clientModule from "./docs-snippets/module.ts.txt" with { type: "text" };

/** What a program says that it prints: the comments behind console.log. */
const promisedBy = (code: string) =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = ""]) => said);

test("every block of code in the guides is in a language that is run, and every program says what it prints", () => {
  expect(blocks.length).toBeGreaterThan(20);
  expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(["html", "sh", "ts"]);
  for (const { at, code } of programs) expect([at, promisedBy(code).length > 0]).toEqual([at, true]);
});

test("every program of the guides runs, and prints what it says", async () => {
  await using site = await connected();
  await fillSite(site.service);
  using folder = temporaryFolder();
  await writeCode(join(folder.path, "node_modules/postroom"));
  const write = (name: string, code: string) =>
    Bun.write(join(folder.path, name), code.replaceAll("{baseUrl}", site.url));
  await write("postroom.ts", clientModule);
  for (const [i, { code }] of programs.entries()) await write(`guide-${i}.ts`, code);
  const parts = programs.map((_, i) => `console.log("# ${i}");\nawait import("./guide-${i}");`);
  await write("main.ts", parts.join("\n"));

  const { POSTROOM_KEY: _, ...others } = process.env;
  const run = Bun.spawn([process.execPath, "main.ts"], {
    cwd: folder.path,
    env: { ...others, POSTROOM_KEY: site.key },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, problems] = await Promise.all([run.stdout.text(), run.stderr.text()]);
  expect(problems).toBe("");
  const lines = printed.split(/^# \d+\n/m).slice(1);
  expect(programs.map(({ at }, i) => [at, lines[i]?.trim()])).toEqual(
    programs.map(({ at, code }) => [at, promisedBy(code).join("\n")]),
  );
});

test("the guide about keys names every scope", async () => {
  const guide = await Bun.file(join(import.meta.dir, "guides/keys.md")).text();
  expect([...guide.matchAll(/^\| `(\w+(?::\w+)?)` \|/gm)].map(([, scope]) => scope).sort()).toEqual([...scopes].sort());
});

test("every curl command of the guides has the status that it says, and every other command is one of ours", async () => {
  await using site = await connected();
  await fillSite(site.service);
  const commands = blocks.filter(({ language }) => language === "sh");
  const requests = commands.filter(({ code }) => code.startsWith("curl"));
  expect(requests.length).toBeGreaterThan(4);
  for (const { at, code } of requests) {
    const { url, init } = requestOf(code.replaceAll("{baseUrl}", site.url).replace("<your key>", site.key));
    const { status } = await fetch(url, init);
    expect([at, String(status)]).toEqual([at, /^# (\d+)$/m.exec(code)?.[1] ?? "a status"]);
  }
  for (const { at, code } of commands.filter((block) => !requests.includes(block)))
    expect([at, code]).toEqual([at, expect.stringMatching(/^npm run postroom -- (keys create|webhooks add) /)]);
});

test("the image is built from every file that a guide is read from", async () => {
  const root = join(import.meta.dir, "../..");
  const textOf = (file: string) => Bun.file(join(root, file)).text();
  const files = [...(await textOf("src/openapi/docs-guides.tsx")).matchAll(/"((?:docs\/[^"]+|README)\.md)"/g)].map(
    ([, file = ""]) => file,
  );
  expect(files.length).toBeGreaterThan(10);
  const copied = [...(await textOf("Dockerfile")).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = ""]) =>
    from.split(" "),
  );
  const allowed = (await textOf(".dockerignore"))
    .split("\n")
    .flatMap((line) => (line[0] === "!" ? [line.slice(1)] : []));
  const missing = (patterns: string[]) =>
    files.filter((file) => !patterns.some((pattern) => file === pattern || file.startsWith(`${pattern}/`)));
  expect({ notCopied: missing(copied), ignored: missing(allowed) }).toEqual({ notCopied: [], ignored: [] });
});
