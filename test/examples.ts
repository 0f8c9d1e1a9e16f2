/**
 * `npm run examples`: installs the examples in docs/examples that need packages, each in a temporary folder, builds them
 * against a running service, and checks the pages that they made. With `KEEP=1` the folders stay, and are printed.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { newSecret, sign } from "../src/platform/webhook-signature";
import { writePackage } from "./support/client/build";
import { connected, fillSite } from "./support/client/connected";
import { freePort } from "./support/processes";

type Environment = Record<string, string>;
type Example = { name: string; check: (folder: string, env: Environment) => Promise<string[]> };

/** Says what is missing in a text. */
const missing = (where: string, text: string, expected: string[]) =>
  expected.filter((part) => !text.includes(part)).map((part) => `${where} lacks ${part}`);

const examples: Example[] = [
  {
    name: "astro",
    async check(folder, { POSTROOM_URL }) {
      const page = (path: string) => Bun.file(join(folder, "dist", path, "index.html")).text();
      const form = `action="${POSTROOM_URL}/newsletter/subscribe"`;
      const last = await page("posts/post-5");
      return [
        ...missing("the list", await page(""), ['href="/posts/post-1"', 'href="/posts/post-5"', form]),
        ...missing("a post", last, ["<h1>Post 5</h1>", "<p>Text</p>", '<link rel="stylesheet" href="/style.css">']),
      ];
    },
  },
  { name: "next", check: checkNext },
];

/** Starts what was built: pages, one that does not exist, a former slug, and a webhook. */
async function checkNext(folder: string, env: Environment): Promise<string[]> {
  const prerendered = await Bun.file(join(folder, ".next/server/app/posts/post-5.html")).exists();
  const [port, secret] = [freePort(), newSecret()];
  const child = Bun.spawn(["node", "node_modules/next/dist/bin/next", "start", "-p", String(port)], {
    cwd: folder,
    env: { ...env, WEBHOOK_SECRET: secret },
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let said = ""; !said.includes("Ready");) said += (await lines.read()).value ?? "Ready";
  const read = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual" });
  const call = (secrets: string[]) => {
    const [at, body] = [Math.floor(Date.now() / 1_000), JSON.stringify({ type: "post.updated", data: {} })];
    const headers = {
      "webhook-id": "1",
      "webhook-timestamp": String(at),
      "webhook-signature": sign(secrets, "1", at, body),
    };
    return fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST", headers, body });
  };
  const list = await (await read("/")).text();
  const post = await (await read("/posts/post-1")).text();
  const statuses = [
    (await read("/posts/none")).status,
    (await read("/posts/old")).status,
    (await call([secret])).status,
    (await call([newSecret()])).status,
  ];
  child.kill();
  await child.exited;
  return [
    ...(prerendered ? [] : ["the posts were not made when the site was built"]),
    ...missing("the list", list, ['href="/posts/post-1"', 'href="/posts/post-5"', "Newsletter"]),
    ...missing("a post", post, ["<h1>Post 1</h1>", "<p>Text</p>", "<title>Post 1</title>"]),
    ...missing("statuses", statuses.join(), ["404,308,204,401"]),
  ];
}

const site = await connected();
await fillSite(site.service);
const root = await mkdtemp(join(tmpdir(), "examples-"));
await writePackage(join(root, "client"));
let isGood = true;
for (const { name, check } of examples) {
  const folder = join(root, name);
  await cp(join(import.meta.dir, "../docs/examples", name), folder, { recursive: true });
  const packageJson = await Bun.file(join(folder, "package.json")).text();
  await Bun.write(join(folder, "package.json"), packageJson.replace("../../../dist/client", "../client"));
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, POSTROOM_URL: site.url, POSTROOM_KEY: site.key, CI: "1" };
  const made = await $`npm install --install-links && npm run build`.cwd(folder).env(env).nothrow().quiet();
  const problems = made.exitCode ? [`${made.stdout}${made.stderr}`] : await check(folder, env);
  isGood &&= problems.length === 0;
  console.log([`${name}: ${problems.length ? "MISS" : "PASS"}`, ...problems].join("\n"));
}
await site.close();
if (process.env.KEEP) console.log(root);
else await rm(root, { recursive: true });
process.exit(isGood ? 0 : 1);
