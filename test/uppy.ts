/**
 * `npm run uppy`: Uppy 6 in Chromium uploads to a storage server, from a page of another origin and through the handler of
 * `postroom/client/uppy` on the site's server. Small files, parts, pause and resume, cancelling and what is refused. The
 * server is an embedded node, or the one that STORAGE_TEST_ENDPOINT names: `test/support/servers/minio.sh npm run uppy`.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { $ } from "bun";
import { uppyHandler } from "../src/client/uppy";
import { openServer } from "./e2e/storage/server";
import { launch } from "./support/browser";
import { connected } from "./support/client/connected";
import { temporaryFolder } from "./support/processes";
import { useServer } from "./support/storage/storage";

const packages = ["@uppy/core@6.3.1", "@uppy/aws-s3@6.3.1"];
const part = 5 * 2 ** 20;
const maxBytes = 40 * 2 ** 20;

/** The page: as in docs/uppy.md, but for the length of parts, so that five are not 320 MB. */
const script = `
import Uppy from "@uppy/core";
import AwsS3 from "@uppy/aws-s3";

const bytesOf = (size) => new Uint8Array(size).map((_, i) => (i * 7 + (i >> 8)) % 251);

globalThis.upload = async (size, plan = "") => {
  const uppy = new Uppy({
    restrictions: { minFileSize: 1 },
    onBeforeFileAdded: (file) => ({ ...file, meta: { ...file.meta, size: file.data.size } }),
  }).use(AwsS3, { companionEndpoint: "/uploads", shouldUseMultipart: true, getChunkSize: () => ${part} });
  let paused = 0;
  const whenSending = new Promise((resolve) =>
    uppy.on("upload-progress", (_, { bytesUploaded }) => bytesUploaded > 0 && resolve(bytesUploaded)),
  );
  try {
    uppy.addFile({ name: "film.mp4", type: "video/mp4", data: new Blob([bytesOf(size)], { type: "video/mp4" }) });
  } catch (error) {
    return { refused: error.message };
  }
  const done = uppy.upload();
  if (plan) {
    await whenSending;
    if (plan === "cancel") {
      uppy.cancelAll();
      return { cancelled: true };
    }
    uppy.pauseAll();
    await new Promise((resolve) => setTimeout(resolve, 500));
    paused = uppy.getFiles()[0].progress.uploadComplete ? 0 : 1;
    uppy.resumeAll();
  }
  const { successful, failed } = await done;
  return { id: successful[0]?.uploadURL, failed: failed[0]?.error, paused };
};`;

type Result = { id?: string; failed?: string; refused?: string; paused?: number };

if (process.env.STORAGE_TEST_ENDPOINT) useServer(await openServer()); // the embedded node is told the page's origin
using folder = temporaryFolder();
await Bun.write(join(folder.path, "package.json"), '{ "type": "module" }');
await $`npm install --no-audit --no-fund ${packages}`.cwd(folder.path).quiet();
await Bun.write(join(folder.path, "page.js"), script);
const built = await Bun.build({ entrypoints: [join(folder.path, "page.js")], target: "browser", format: "esm" });
const code = (await built.outputs[0]?.text()) ?? "";

let answerUppy: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
const html = { headers: { "content-type": "text/html" } };
const page = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/uploads/")) return answerUppy(request);
    if (pathname === "/page.js") return new Response(code, { headers: { "content-type": "text/javascript" } });
    return new Response("<!doctype html><script type=module src=/page.js></script>", html);
  },
});
const site = await connected({ part, env: { CORS_ORIGINS: page.url.origin } });
const policy = { owner: "ada", maxBytes, types: ["video/*"], folderPath: "inbox" };
answerUppy = uppyHandler(site.client, { authorize: () => policy, secret: "a secret of the site" });

const browser = await launch();
const tab = await browser.newPage();
await tab.goto(page.url.href);
await tab.waitForFunction("globalThis.upload !== undefined");
const upload = (size: number, plan = ""): Promise<Result> =>
  tab.evaluate(({ size, plan }) => Reflect.get(globalThis, "upload")(size, plan), { size, plan });

const bytesOf = (size: number) => new Uint8Array(size).map((_, i) => (i * 7 + (i >> 8)) % 251);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** What is wrong with an upload that should have become a file of this size. */
async function wrongWith({ id, failed }: Result, size: number): Promise<string | undefined> {
  if (!id) return `it failed: ${failed}`;
  const link = await site.client.files.link(id);
  const bytes = await (await fetch(link?.url ?? "")).bytes();
  return sha256(bytes) === sha256(bytesOf(size)) ? undefined : `${bytes.length} bytes, or others than were sent`;
}

const openUploads = async () => (await site.client.uploads.list()).total;
const large = 4 * part + 1_000_000;
const cases: Record<string, () => Promise<string | undefined>> = {
  "5 bytes": async () => wrongWith(await upload(5), 5),
  "3 MB": async () => wrongWith(await upload(3_000_000), 3_000_000),
  "five parts": async () => wrongWith(await upload(large), large),
  "five parts, paused and resumed": async () => {
    const result = await upload(large, "pause");
    return result.paused ? wrongWith(result, large) : "it was over before it was paused";
  },
  "cancelled: the reserved space is free": async () => {
    await upload(large, "cancel");
    for (let n = 0; n < 50 && (await openUploads()) > 0; n++) await Bun.sleep(100);
    return (await openUploads()) ? "it is still open" : undefined;
  },
  "an empty file is refused by the page": async () => ((await upload(0)).refused ? undefined : "it was sent"),
  "a file that is too large is refused by the site": async () => {
    const { id } = await upload(maxBytes + 1);
    return id ? "it was stored" : undefined;
  },
};

let isGood = true;
console.log(`${packages.join(", ")} to ${process.env.STORAGE_TEST_ENDPOINT ?? "an embedded node"}`);
for (const [name, check] of Object.entries(cases)) {
  const wrong = await check().catch(String);
  isGood &&= wrong === undefined;
  console.log(`${wrong === undefined ? "PASS" : "MISS"} ${name}${wrong === undefined ? "" : `: ${wrong}`}`);
}
await browser.close();
await page.stop(true);
await site.close();
process.exit(isGood ? 0 : 1);
