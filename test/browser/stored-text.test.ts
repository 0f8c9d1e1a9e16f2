import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as apiKeys from "../../db/api-keys";
import * as posts from "../../db/posts";
import * as projects from "../../db/projects";
import * as settings from "../../db/settings";
import * as subscribers from "../../db/subscribers";
import { fillStage } from "./props";
import { openStage, type Stage } from "./stage";

setDefaultTimeout(300_000);

const call = "window.hit=1";
const shapes = [
  (js: string) => `<script>${js}</script>`,
  (js: string) => `"><script>${js}</script>`,
  (js: string) => `'><img src=x onerror=${js}>`,
  (js: string) => `"><img src=x onerror=${js}>`,
  (js: string) => `<svg onload=${js}>`,
  (js: string) => `<svg><script>${js}</script></svg>`,
  (js: string) => `<math><mtext></mtext><script>${js}</script></math>`,
  (js: string) => `</title><script>${js}</script>`,
  (js: string) => `</textarea><script>${js}</script>`,
  (js: string) => `</option></select><img src=x onerror=${js}>`,
  (js: string) => `" autofocus onfocus="${js}`,
  (js: string) => `' onmouseover='${js}`,
  (js: string) => `javascript:${js}`,
  (js: string) => `JaVaScRiPt:${js}//`,
  (js: string) => `\u0001javascript:${js}`,
  (js: string) => `data:text/html,<script>${js}</script>`,
  (js: string) => `<a href="javascript:${js}">x</a>`,
  (js: string) => `<iframe srcdoc="<script>${js}</script>">`,
  (js: string) => `<object data="javascript:${js}">`,
  (js: string) => `<form><button formaction="javascript:${js}">x</button></form>`,
  (js: string) => `<details open ontoggle=${js}>`,
  (js: string) => `<video><source onerror=${js}></video>`,
  (js: string) => `<body onload=${js}>`,
  (js: string) => `<style>@import 'javascript:${js}';</style>`,
  (js: string) => `<link rel=stylesheet href="javascript:${js}">`,
  (js: string) => `<base href="javascript:${js}//">`,
  (js: string) => `<meta http-equiv=refresh content="0;url=javascript:${js}">`,
  (js: string) => `<div hx-on:click="${js}" hx-trigger="load" hx-get="/x">`,
  (js: string) => `<div hx-get="/assets/x" hx-trigger="load[${js}]">`,
  (js: string) => `<hx-partial hx-target="body"><script>${js}</script></hx-partial>`,
];
const disguises = [
  (text: string) => text,
  (text: string) =>
    text.replaceAll("<", "&lt;").replaceAll("&lt;", "<").toUpperCase().replace(call.toUpperCase(), call),
  (text: string) => `x${text}y`,
  (text: string) => `\u202e${text}`,
  (text: string) => `${text}<!--`,
];
const payloads = shapes.flatMap((shape) => disguises.map((disguise) => disguise(shape(call))));

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillStage(stage);
  await plant(stage);
});
afterAll(() => stage.close());

/** Puts every payload into every field that a visitor, a client or a manager can fill. */
async function plant({ db, now, post, owner }: Stage) {
  for (const [i, evil] of payloads.entries()) {
    const text = evil.replace(/[\u0000-\u001f]/g, " ");
    const at = new Date(now().getTime() + i);
    await subscribers.subscribe(
      db,
      { email: `evil${i}@example.com`, name: text, source: text },
      { via: "form", userAgent: text },
      at,
    );
    await post("/api/contact", {
      name: text.slice(0, 100),
      email: `evil${i}@example.com`,
      message: `${text} and ten letters`,
      source: text.slice(0, 100),
    });
    await apiKeys.generate(db, { prefix: "site", name: `${text.slice(0, 50)} ${i}`, createdBy: text }, at);
    await posts.save(
      db,
      {
        slug: `evil-${i}`,
        title: text,
        excerpt: text,
        content: text,
        tags: [text.slice(0, 60)],
        author: text,
        published: true,
      },
      at,
    );
    await projects.save(
      db,
      { slug: `evil-${i}`, title: text, description: text, status: "PUBLISHED", tech: [text] },
      at,
    );
  }
  const evil = payloads[3] ?? "";
  for (const key of ["siteTitle", "name", "jobTitle", "github"])
    await settings.set(db, key, evil, { by: owner.manager.email }, now());
}

test(`${payloads.length} payloads in every stored field: none runs on any page`, async () => {
  expect(payloads.length).toBeGreaterThanOrEqual(150);
  const page = await (await stage.manager()).newPage();
  page.on("dialog", (dialog) => void dialog.dismiss());
  const pages = {
    ...rooms,
    "newsletter, page 2": "/dashboard/newsletter?page=2&per=100",
    "keys, sorted": "/dashboard/api-keys?sort=used",
  };
  for (const [name, path] of Object.entries(pages)) {
    for (const query of ["", "?per=100&q=evil", "?per=100&page=2"]) {
      await page.goto(path.includes("?") ? path : path + query);
      await page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
      expect([name, await page.evaluate("window.hit")]).toEqual([name, undefined]);
    }
  }
  for (const row of await messageLinks(page)) {
    await page.goto(row);
    expect([row, await page.evaluate("window.hit")]).toEqual([row, undefined]);
  }
  expect(stage.complaints).toEqual([]);
});

/** The single pages of some messages and people, where the whole text stands. */
async function messageLinks(page: import("playwright-core").Page) {
  const links: string[] = [];
  for (const list of ["/dashboard/contact", "/dashboard/newsletter", "/dashboard/outbox"]) {
    await page.goto(list);
    const here = (await page.evaluate(
      `[...document.querySelectorAll("#list a[href^='${list}/']")].map(a => a.getAttribute("href"))`,
    )) as string[];
    links.push(...[...new Set(here)].filter((href) => !href.endsWith("/delete")).slice(0, 20));
  }
  return links;
}
