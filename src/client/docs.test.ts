import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientFolder, writeCode } from "../../test/support/client/build";
import { connected, fillSite } from "../../test/support/client/connected";
import { temporaryFolder } from "../../test/support/processes";
import { compile } from "../../test/support/typescript";
import { newSecret, sign } from "../platform/webhook-signature";

const page = await Bun.file(join(import.meta.dir, "../../docs/client.md")).text();
const snippets = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

const isImport = (line: string) => line.startsWith("import ");
const linesOf = (text: string) => text.split("\n");

/** What a snippet says that it prints: the comments behind console.log. */
const promised = snippets
  .flatMap((text) =>
    linesOf(text).flatMap(
      (line) => /console\.log\(.*\).*; *\/\/ (.*)$|console\.log\(.*\), *\/\/ (.*)$/.exec(line)?.slice(1) ?? [],
    ),
  )
  .filter((said) => said !== undefined);

/** The calls that the snippets only define. */
const calls = `for (const [headers, body] of JSON.parse(process.env.CALLS))
  console.log((await POST(new Request("http://localhost/", { method: "POST", headers, body }))).status);`;

/** All snippets as one program: the first makes the client, and each of the others has its own names. */
function program(extra = ""): string {
  const imports = new Set(snippets.flatMap((text) => linesOf(text).filter(isImport)));
  const names = new Map<string, Set<string>>();
  for (const line of imports) {
    const [, list = "", from = ""] = /^import \{ (.*) \} from "(.*)";$/.exec(line) ?? [];
    for (const name of list.split(", ")) names.set(from, (names.get(from) ?? new Set()).add(name));
  }
  const head = [...names].map(([from, list]) => `import { ${[...list].join(", ")} } from "${from}";`);
  const bodies = snippets.map((text) =>
    linesOf(text)
      .filter((line) => !isImport(line))
      .join("\n")
      .replace(/^export /gm, ""),
  );
  const [first = "", ...others] = bodies;
  const blocks = others.map((body) => `{\n${body}${/function POST/.test(body) ? extra : ""}\n}`);
  return [...head, first, ...blocks].join("\n");
}

test("the page has snippets, and each says what it prints", () => {
  expect(snippets.length).toBeGreaterThan(8);
  expect(promised.length).toBeGreaterThan(15);
});

test("every snippet of the page compiles under strict", async () => {
  const files: Record<string, string> = {
    "/page.ts": `${program().replaceAll('"postroom/client"', '"./client"')}\nexport {};`,
    "/node.d.ts": `declare const process: { env: Record<string, string | undefined> };
declare module "node:fs" { export function openAsBlob(path: string): Promise<Blob>; }
declare module "node:fs/promises" {
  export function readFile(path: string, encoding: "utf8"): Promise<string>;
  export function writeFile(path: string, text: string): Promise<void>;
}`,
  };
  for (const name of ["client.ts", "request.ts", "upload.ts", "webhook.ts", "routes.ts", "schema.d.ts"])
    files[`/${name}`] = await Bun.file(join(clientFolder, name)).text();
  expect(compile(files)).toEqual([]);
});

test("every snippet runs in Node, and prints what the page says", async () => {
  await using site = await connected();
  await fillSite(site.service);
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "node_modules"));
  await writeCode(join(folder.path, "node_modules/postroom"));
  writeFileSync(join(folder.path, "film.mp4"), new Uint8Array(1_000));
  writeFileSync(
    join(folder.path, "page.mjs"),
    new Bun.Transpiler({ loader: "ts" }).transformSync(program(`\n${calls}`)),
  );

  const secret = newSecret();
  const call = (secrets: string[]) => {
    const at = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ type: "post.published", timestamp: "2026-11-23T12:00:00Z", data: { slug: "tides" } });
    const signature = sign(secrets, "1", at, body);
    return [{ "webhook-id": "1", "webhook-timestamp": String(at), "webhook-signature": signature }, body];
  };
  const env = {
    PATH: process.env.PATH ?? "",
    POSTROOM_URL: site.url,
    POSTROOM_KEY: site.key,
    WEBHOOK_SECRET: secret,
    CALLS: JSON.stringify([call([secret]), call([newSecret()])]),
  };
  const node = Bun.spawn(["node", "page.mjs"], { cwd: folder.path, env, stdout: "pipe", stderr: "pipe" });
  const [printed, problems] = await Promise.all([node.stdout.text(), node.stderr.text()]);
  expect(problems).toBe("");
  const at = promised.indexOf("tides") + 1;
  expect(printed.trim().split("\n")).toEqual([...promised.slice(0, at), "204", "401", ...promised.slice(at)]);
});
