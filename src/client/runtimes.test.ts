import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientFolder, generatedFrom, bundle, writePackage } from "../../test/support/client/build";
import { connected, fillSite } from "../../test/support/client/connected";
import { smoke } from "../../test/support/client/smoke";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";

test("types and routes are those of the document", async () => {
  const document = await (await (await testService()).get("/openapi.json")).text();
  for (const [name, text] of Object.entries(await generatedFrom(document)))
    expect((await Bun.file(join(clientFolder, name)).text()) === text, `${name}: npm run client makes it`).toBe(true);
});

const compressed = (text: string) => Bun.gzipSync(text).length;

test("the client has at most 8 KB, and who verifies webhooks alone gets at most 1 KB", async () => {
  const whole = compressed(await bundle(join(clientFolder, "client.ts"), true));
  using folder = temporaryFolder();
  const alone = join(folder.path, "alone.ts");
  writeFileSync(alone, `export { verifyWebhook } from ${JSON.stringify(join(clientFolder, "client"))};`);
  const webhook = compressed(await bundle(alone, true));
  expect(whole).toBeGreaterThan(4_000);
  expect(whole).toBeLessThanOrEqual(8 * 1_024);
  expect(webhook).toBeGreaterThan(300);
  expect(webhook).toBeLessThanOrEqual(1_024);
});

/** What the smoke test prints, in every runtime. */
const expected = [
  "subscribe: false",
  "subscribe again: true",
  'subscribe wrongly: ["VALIDATION_ERROR",400]',
  'contact: "Thank you. Your message has been received."',
  'old slug: "post-1"',
  "no post: null",
  'visit: "/api/projects/project-1/visit"',
  'live: "ok"',
  'ready: "ready"',
  'rss: "<?xml"',
  'atom: "<?xml"',
  'sitemap: "<?xml"',
  'newsletter: "<?xml"',
  'with a wrong key: ["UNAUTHORIZED",401]',
  'posts: [["post-1","post-2"],2,5,true]',
  'all posts: ["post-1","post-2","post-3","post-4","post-5"]',
  "the same post: true",
  "featured: 1",
  'project: "Project 2"',
  "settings: 0",
  'broadcast: "Snow"',
  'add a subscriber: ["created","Grace",[]]',
  'add many: ["created","invalid","known"]',
  'who: [["grace@example.com"],null]',
  "how many: 3",
  'all subscribers: ["ada@example.com","grace@example.com","joan@example.com"]',
  'the subscriber: ["shop"]',
  'changed: [null,["vip"]]',
  "erased: true",
  "no subscriber: null",
  'file: ["a.txt",23,"docs"]',
  "empty file: 0",
  'the file: "text/plain"',
  'folders: [{"path":"docs","files":1}]',
  "files: 1",
  'download: "Bytes, bytes and bytes."',
  'moved: "moved"',
  "trash: true",
  "no file: null",
  'several parts: [true,true,true,"done"]',
  'webhook: "ping"',
  'webhook: "WebhookError: The webhook’s call was not accepted (signature)."',
];

test("every call works in Bun", async () => {
  await using site = await connected({ part: 5 * 2 ** 20 });
  await fillSite(site.service);
  expect(await smoke(site.url, site.key)).toEqual(expected);
});

test("every call works in Node, from the package as it is published", async () => {
  await using site = await connected({ part: 5 * 2 ** 20 });
  await fillSite(site.service);
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "node_modules"));
  await writePackage(join(folder.path, "node_modules/postroom"));
  const source = await Bun.file(join(import.meta.dir, "../../test/support/client/smoke.ts")).text();
  const script = new Bun.Transpiler({ loader: "ts" })
    .transformSync(source)
    .replace("../../../src/client/client", "postroom/client");
  writeFileSync(
    join(folder.path, "smoke.mjs"),
    `${script}\nconsole.log(JSON.stringify(await smoke(process.argv[2], process.argv[3])));`,
  );
  const node = Bun.spawn(["node", "smoke.mjs", site.url, site.key], {
    cwd: folder.path,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, problems] = await Promise.all([node.stdout.text(), node.stderr.text()]);
  expect(problems).toBe("");
  expect(JSON.parse(printed)).toEqual(expected);
});
