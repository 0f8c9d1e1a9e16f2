import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { connected } from "../../test/support/client/connected";
import { temporaryFolder } from "../../test/support/processes";
import { downloads } from "./packages";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs); // npm takes its time

test("the command of the documentation installs the client from the service, without any other package", async () => {
  await using site = await connected();
  using folder = temporaryFolder();
  const guide = await (await fetch(`${site.url}/docs/client.md`)).text();
  const [, command = ""] = /^npm install (http\S+)$/m.exec(guide) ?? [];
  expect(command).toBe(`${site.service.config.BASE_URL}/docs/postroom-client.tgz`);
  await Bun.write(join(folder.path, "package.json"), '{ "type": "module" }');
  const url = command.replace(site.service.config.BASE_URL, site.url);
  await $`npm install --no-audit --no-fund ${url}`.cwd(folder.path).quiet();
  const program = `
    import { createClient } from "postroom/client";
    import { uppyHandler } from "postroom/client/uppy";
    import { srcset } from "postroom/client/pictures";
    const postroom = createClient({ baseUrl: "${site.url}", key: "${site.key}" });
    console.log((await postroom.posts.list()).total, typeof uppyHandler, typeof srcset);`;
  await Bun.write(join(folder.path, "site.mjs"), program);
  expect(await $`node site.mjs`.cwd(folder.path).text()).toBe("0 function function\n");
  const installed = join(folder.path, "node_modules/postroom");
  const { exports } = await Bun.file(join(installed, "package.json")).json();
  for (const { types } of Object.values<{ types: string }>(exports))
    expect([types, await Bun.file(join(installed, types)).exists()]).toEqual([types, true]);
  expect(await Bun.file(join(installed, "schema.d.ts")).exists()).toBe(true);
});

test("a package has the same bytes each time it is made, an ETag, and no coding that would change them", async () => {
  await using site = await connected();
  const url = `${site.url}/docs/postroom-client.tgz`;
  const answer = await fetch(url, { headers: { "accept-encoding": "gzip" } });
  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, null]);
  const etag = answer.headers.get("etag") ?? "";
  expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
  const { "postroom-client.tgz": again } = await downloads(site.service.config.BASE_URL);
  expect(Buffer.compare(await answer.bytes(), again ?? Buffer.alloc(0))).toBe(0);
  expect((await fetch(`${site.url}/docs/other.tgz`)).status).toBe(404);
});

test("the examples are served whole, and install the client from the service", async () => {
  await using site = await connected();
  using folder = temporaryFolder();
  const archive = await (await fetch(`${site.url}/docs/postroom-examples.tgz`)).bytes();
  await Bun.write(join(folder.path, "examples.tgz"), archive);
  await $`tar xzf examples.tgz`.cwd(folder.path).quiet();
  for (const name of ["site", "astro", "next"]) {
    const { dependencies } = await Bun.file(join(folder.path, "postroom-examples", name, "package.json")).json();
    expect(dependencies.postroom).toBe(`${site.service.config.BASE_URL}/docs/postroom-client.tgz`);
  }
  const program = await Bun.file(join(folder.path, "postroom-examples/resume-upload.ts")).text();
  expect(program).toContain("openAsBlob");
});
