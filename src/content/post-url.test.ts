import { expect, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import { testService } from "../../test/support/service";

const postUrl = "https://blog.example/read/{slug}?from=postroom";

/** A service with a published post and a draft, where the setting may be saved as a manager does it. */
async function blog(env: Record<string, string> = {}) {
  const service = await testService(env);
  const manager = await service.signIn();
  const day = 86_400_000;
  const publishedAt = new Date(service.now().getTime() - day);
  const live = await posts.save(
    service.db,
    { slug: "höhe", title: "Tides", published: true, publishedAt },
    service.now(),
  );
  const draft = await posts.save(service.db, { slug: "not-yet", title: "Not yet", published: false }, service.now());
  const page = async (path: string) => (await manager.get(`/dashboard${path}`)).text();
  const set = (value: string) =>
    manager.submit("/dashboard/settings/site", { postUrl: value, "postUrl.stamp": "none" });
  const previewLink = async () => {
    const html = await (await manager.submit(`/dashboard/posts/${draft.id}/preview-link`, { days: "1" })).text();
    return /value="(https?:[^"]+)preview=/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  };
  return { ...service, live, draft, page, set, previewLink };
}

test("“View live”, the preview link and the feeds lead to where the setting says", async () => {
  const { set, page, previewLink, get, live } = await blog({ BLOG_URL: "https://old.example" });
  expect(await page("/posts")).toContain('href="https://old.example/posts/h%C3%B6he"');
  expect(await previewLink()).toBe("https://old.example/posts/not-yet?");
  expect((await set(postUrl)).status).toBe(303);
  for (const path of ["/posts", `/posts/${live.id}`])
    expect(await page(path)).toContain('href="https://blog.example/read/h%C3%B6he?from=postroom"');
  expect(await page(`/posts/${live.id}`)).toContain(
    'https://blog.example/read/<span id="slug-shown">höhe</span>?from=postroom',
  );
  expect(await previewLink()).toBe("https://blog.example/read/not-yet?from=postroom&");
  for (const file of ["/rss.xml", "/atom.xml", "/sitemap.xml"])
    expect(await (await get(file)).text()).toContain("https://blog.example/read/h%C3%B6he?from=postroom");
});

test("without a blog a preview link is that of the API, which shows the draft as JSON", async () => {
  const { previewLink, page, draft, set } = await blog();
  expect(await previewLink()).toBe("http://localhost:3000/api/posts/not-yet?");
  const question = () => page(`/posts/${draft.id}/publish`);
  expect(await question()).toContain("The URL of your blog is not set");
  expect(await page("/settings/site")).toContain("Not set. Links to posts lead to pages that do not exist.");
  await set(postUrl);
  expect(await page("/settings/site")).not.toContain("Not set. Links to posts lead to pages that do not exist.");
  expect(await question()).not.toContain("The URL of your blog is not set");
});

test.each([
  "https://blog.example/posts/",
  "https://blog.example/{slug}/{slug}",
  "https://{slug}.example/",
  "https://user:word@blog.example/{slug}",
  "javascript:alert('{slug}')",
  "/posts/{slug}",
])("%j is not where posts are read", async (value) => {
  const { set, page } = await blog();
  const refused = await set(value);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("Enter a full URL that contains {slug} once");
  expect(await page("/posts")).not.toContain("blog.example");
});
