import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientFolder, declarations, generatedFrom, bundle, writeSmoke } from "../../test/support/client/build";
import { connected, fillSite } from "../../test/support/client/connected";
import { smoke, smokeLines } from "../../test/support/client/smoke";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

test("types, routes and declarations are those of the document and the code", async () => {
  const document = await (await (await testService()).get("/openapi.json")).text();
  for (const [name, text] of Object.entries({ ...(await generatedFrom(document)), ...declarations() }))
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

test("every call works in Bun", async () => {
  await using site = await connected({ part: 5 * 2 ** 20 });
  await fillSite(site.service);
  expect(await smoke(site.url, site.key)).toEqual(smokeLines);
});

test("every call works in Node, from the package as it is published", async () => {
  await using site = await connected({ part: 5 * 2 ** 20 });
  await fillSite(site.service);
  using folder = temporaryFolder();
  await writeSmoke(folder.path);
  const node = Bun.spawn(["node", "smoke.mjs", site.url, site.key], {
    cwd: folder.path,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, problems] = await Promise.all([node.stdout.text(), node.stderr.text()]);
  expect(problems).toBe("");
  expect(JSON.parse(printed)).toEqual(smokeLines);
});
