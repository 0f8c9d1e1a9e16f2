import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { launch } from "../../support/browser";
import { bundle, clientFolder, writeCode } from "../../support/client/build";
import { blocks } from "../../support/docs/guides";
import { temporaryFolder } from "../../support/processes";
import { connected, fillSite } from "../../support/client/connected";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const browser = await launch();
afterAll(() => browser.close());

const calls = `(async (baseUrl) => {
  const { createClient, isPostroomError } = await import("/client.js");
  const postroom = createClient({ baseUrl });
  const { alreadySubscribed } = await postroom.newsletter.subscribe({ email: "ada@example.com" });
  const form = { name: "Ada", email: "ada@example.com", message: "Hello from another origin" };
  const { message } = await postroom.contact.send(form);
  const [post, moved, none] = [await postroom.posts.get("post-1"), await postroom.posts.get("old"), await postroom.posts.get("none")];
  const again = await postroom.posts.get("post-1");
  const code = await postroom.newsletter.subscribe({ email: "ada" }).catch((error) => isPostroomError(error) && error.code);
  let refused = "";
  try { createClient({ baseUrl, key: "site_live_x" }); } catch (error) { refused = error.message; }
  return [alreadySubscribed, message, post.slug, moved.slug, none, again.slug, code, refused];
})`;

test("what needs no key works in a page of another origin, also for a post that moved", async () => {
  const client = await bundle(join(clientFolder, "client.ts"), true);
  const answer = (text: string, type: string) => new Response(text, { headers: { "content-type": type } });
  const other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      url.endsWith(".js")
        ? answer(client, "text/javascript")
        : answer("<!doctype html><title>A site</title>", "text/html"),
  });
  await using site = await connected({ env: { CORS_ORIGINS: other.url.origin } });
  await fillSite(site.service);
  const tab = await browser.newPage();
  await tab.goto(other.url.href);
  expect(await tab.evaluate(`${calls}(${JSON.stringify(site.url)})`)).toEqual([
    false,
    "Thank you. Your message has been received.",
    "post-1",
    "post-1",
    null,
    "post-1",
    "VALIDATION_ERROR",
    "Keys are for servers: in a page, its visitors could read them.",
  ]);
  await other.stop(true);
});

test("the page of the guide uploads a file from another origin, shows its progress, and says what is refused", async () => {
  const [server = "", html = ""] = ["ts", "html"].map(
    (language) => blocks.find((block) => /^page-uploads/.test(block.at) && block.language === language)?.code ?? "",
  );
  using folder = temporaryFolder();
  const other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) =>
      request.method === "POST"
        ? (await import(join(folder.path, "uploads.ts"))).answerUpload(request)
        : new Response(`<!doctype html><title>A site</title>${html}`, { headers: { "content-type": "text/html" } }),
  });
  await using site = await connected({ env: { CORS_ORIGINS: other.url.origin } });
  await writeCode(join(folder.path, "node_modules/postroom"));
  const settings = JSON.stringify({ baseUrl: site.url, key: site.key });
  await Bun.write(
    join(folder.path, "postroom.ts"),
    `import { createClient } from "postroom/client";\nexport const postroom = createClient(${settings});`,
  );
  await Bun.write(join(folder.path, "uploads.ts"), server.split("\nconst call = ")[0] ?? "");
  const tab = await browser.newPage();
  await tab.goto(other.url.href);
  const choose = (mimeType: string, bytes: number) =>
    tab.setInputFiles("#file", { name: "lamp.pdf", mimeType, buffer: Buffer.alloc(bytes, "x") });
  await choose("application/pdf", 3_000_000);
  await tab.getByText("Uploaded.").waitFor();
  expect(await tab.evaluate("[progress.value, progress.max]")).toEqual([3_000_000, 3_000_000]);
  await choose("text/html", 5);
  await tab.getByText("Files of this type are not accepted.").waitFor();
  const { items } = await site.client.files.list({ folderPath: "inbox" });
  expect(items.map(({ filename, size }) => [filename, size])).toEqual([["lamp.pdf", 3_000_000]]);
  await other.stop(true);
});
