import { expect, test } from "bun:test";
import { bucketCors } from "../../../test/support/storage/bucket-cors";
import { start } from "../../../test/support/storage/storage-pages";
import { embedForTests } from "../../../test/support/storage/storage";
import { loadConfig } from "../../platform/config";
import { openStorage } from "..";

/** A node whose bucket has rules for pages, and the service with other settings, as after a restart. */
async function withRules() {
  const { config, db, embedded, log, nodeAt, now } = await start();
  const server = bucketCors(embedded);
  const node = await nodeAt("rules", server.endpoint);
  const restarted = (settings: Record<string, string>) => {
    const { CORS_ORIGINS } = loadConfig({ DATA_DIR: config.DATA_DIR, ...settings });
    return openStorage({ config: { ...config, ...settings, CORS_ORIGINS }, db, log, now, embed: embedForTests });
  };
  return { node, restarted, server };
}

const site = "https://site.example";
const blog = "https://blog.example";
const shop = "https://shop.example";
const settings = { BASE_URL: site, BLOG_URL: blog };

test("pages of every configured origin may upload: those of CORS_ORIGINS too", async () => {
  const { node, restarted, server } = await withRules();
  const { nodes } = restarted({ ...settings, CORS_ORIGINS: shop });
  const { findings } = await nodes.test(node);
  for (const origin of [site, blog, shop]) expect(findings[`cors ${origin}`]).toBe("ok");
  expect(server.allowed()).toEqual([site, blog, shop]);
  const tested = { ...node, kind: "managed" as const, probe: findings };
  expect((await nodes.capabilities(tested)).map(({ check }) => check)).toContain(`cors ${shop}`);
  server.close();
});

test("a changed setting changes the rule, in both directions; an unchanged one writes nothing", async () => {
  const { node, restarted, server } = await withRules();
  await restarted(settings).nodes.test(node);
  await restarted({ ...settings, CORS_ORIGINS: shop }).nodes.test(node);
  expect(server.allowed()).toEqual([site, blog, shop]);
  await restarted({ ...settings, CORS_ORIGINS: shop }).nodes.test(node);
  expect(server.writes()).toBe(2);
  await restarted(settings).nodes.test(node);
  expect([server.allowed(), server.writes()]).toEqual([[site, blog], 3]);
  server.close();
});
