import { expect, test } from "bun:test";
import * as posts from "../../../db/posts/posts";
import { describe } from "../../../db/storage/pictures";
import { store } from "../../../test/support/storage/stored-files";
import { testService } from "../../../test/support/service";

const partial = { "hx-request": "true", "hx-request-type": "partial" };

test("the pane shows the text and its problems, with links to them", async () => {
  const { signIn } = await testService();
  const { submit } = await signIn();
  const answer = await submit("/dashboard/posts/preview", { content: "# Hello\r\n\r\n<b>" }, partial);
  expect(answer.status).toBe(200);
  const html = await answer.text();
  expect(html).toStartWith('<div class="errors problems"');
  expect(html).toContain('data-caret="9">Line 3, column 1</button>');
  expect(html).toContain("<h2>Hello</h2>");
  expect(html).not.toContain("<html");
});

test("without JavaScript the preview is a page of its own", async () => {
  const { signIn } = await testService();
  const { submit } = await signIn();
  const fields = { title: "A <title>", excerpt: "Short", coverImage: "/media/1/a.png", content: "**Hi** <b>" };
  const html = await (await submit("/dashboard/posts/preview", fields)).text();
  expect(html).toStartWith("<!doctype html>");
  for (const piece of [
    "A &lt;title&gt;</h1>",
    "Short",
    '<div class="cover-image"><img src="/media/1/a.png" alt=""></div>',
    "<strong>Hi</strong>",
  ])
    expect(html).toContain(piece);
  expect(html).toContain("<strong>Line 1, column 8</strong>");
});

test("the pane shows the cover; one on another site is named, not loaded", async () => {
  const { signIn } = await testService();
  const { submit } = await signIn();
  const shown = async (coverImage: string, more = {}) =>
    (await submit("/dashboard/posts/preview", { coverImage }, more)).text();
  expect(await shown("/media/1/a.png", partial)).toContain(
    '<div class="cover-image"><img src="/media/1/a.png" alt=""></div>',
  );
  for (const more of [{}, partial]) {
    const html = await shown("https://a.example/b.png", more);
    expect(html).toContain("<code>https://a.example/b.png</code>");
    expect(html).not.toContain('src="https://a.example');
  }
});

test("a long post can be previewed by a manager, and by no one else", async () => {
  const { signIn, send } = await testService();
  const { submit } = await signIn();
  const content = "Ünder. ".repeat(60_000);
  expect((await submit("/dashboard/posts/preview", { content }, partial)).status).toBe(200);
  const body = new URLSearchParams({ content });
  expect((await send("/dashboard/posts/preview", { method: "POST", body })).status).toBe(413);
  const tooLong = await submit("/dashboard/posts/preview", { content: content.repeat(12) }, partial);
  expect(tooLong.status).toBe(413);
});

test("the confirmation before publishing mentions problems in the text", async () => {
  const { signIn } = await testService();
  const { get, submit } = await signIn();
  const ask = async (content: string) => {
    const { headers } = await submit("/dashboard/posts/new", { title: "A", content });
    return (await get(`${headers.get("location")}/publish`)).text();
  };
  expect(await ask("<b> and {")).toContain("The text has 2 problems that would break your site’s build");
  expect(await ask("Fine")).not.toContain("break your site’s build");
});

test("images of Storage can be chosen, the newest first, by a part of their name", async () => {
  const service = await testService();
  const { get } = await service.signIn();
  const [tide] = await store(service, { filename: "Tide (1).png", mimeType: "image/png" });
  service.clock.time += 1_000;
  await store(service, { filename: "harbour.jpg", mimeType: "image/jpeg" });
  await store(service, { filename: "notes.txt", mimeType: "text/plain" });
  await store(service, { filename: "logo.svg", mimeType: "image/svg+xml" });

  const dialog = await (await get("/dashboard/posts/pictures?for=content", partial)).text();
  expect(dialog).toContain('data-for="content"');
  expect([...dialog.matchAll(/data-picture="([^"]+)"/g)].map(([, address]) => address?.split("/").pop())).toEqual([
    "harbour.jpg",
    "Tide%20(1).png",
  ]);
  expect(dialog).toContain(`/media/${tide}/`);

  const found = await get("/dashboard/posts/pictures?q=TIDE", { ...partial, "hx-target": "div#pictures" });
  const list = await found.text();
  expect(list).toStartWith('<div id="pictures">');
  expect(list.match(/data-picture/g)).toHaveLength(1);
});

test("the cover above the title is cropped around its focal point, in a size that is large enough", async () => {
  const service = await testService();
  const { get } = await service.signIn();
  const [id = ""] = await store(service, { filename: "a.png", mimeType: "image/png" });
  await describe(service.db, id, { alt: "", focus: { x: 15, y: 80 } }, { actor: "cli" }, service.now());
  const coverImage = `/media/${id}/a.png`;
  const post = { slug: "a", title: "A", published: false, coverImage };
  const saved = await posts.save(service.db, post, service.now());
  const page = await (await get(`/dashboard/posts/${saved.id}`)).text();
  expect(page).toContain(`<img src="${coverImage}?w=1600" alt="" class="focal fx-15 fy-80">`);
  const dialog = await (await get("/dashboard/posts/pictures", partial)).text();
  expect(dialog).toContain('data-focus-class="focal fx-15 fy-80"');
});

test("without JavaScript the images have a page, with addresses to copy", async () => {
  const service = await testService();
  const { get } = await service.signIn();
  const [id] = await store(service, { filename: "a.png", mimeType: "image/png" });
  const html = await (await get("/dashboard/posts/pictures")).text();
  expect(html).toStartWith("<!doctype html>");
  expect(html).toContain(`<code class="wrap">/media/${id}/a.png</code>`);
});
