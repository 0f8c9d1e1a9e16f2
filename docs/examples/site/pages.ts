import type { FullPost, Page, Post } from "postroom/client";
import { type Html, html, raw } from "./html";

/** What became of a form: a message for the visitor, and what they had typed if it must be corrected. */
export type Outcome = { message: string; typed?: Record<string, string> };

/** @param head what only some pages have, such as a script */
const layout = (title: string, main: Html, head = html``) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
        <link rel="alternate" type="application/rss+xml" href="/feed.xml" />
        ${head}
      </head>
      <body>
        <header><a href="/">Field notes</a> <a href="/contact">Contact</a></header>
        <main>${main}</main>
      </body>
    </html>`.text;

const day = (time: string) => html`<time datetime="${time}">${new Date(time).toDateString()}</time>`;

const notice = (outcome?: Outcome) => outcome && html`<p class="notice" role="status">${outcome.message}</p>`;

export const homePage = ({ items, next }: Page<Post>, outcome?: Outcome) =>
  layout(
    "Field notes",
    html`<h1>Field notes</h1>
      <ul class="posts">
        ${items.map(
          (post) =>
            html`<li>
              <a href="/posts/${post.slug}">${post.title}</a> ${day(post.publishedAt)}
              <p>${post.excerpt}</p>
            </li>`,
        )}
      </ul>
      ${next && html`<p><a href="/?cursor=${next}" rel="next">Older posts</a></p>`}
      <form method="post" action="/newsletter">
        <h2>Newsletter</h2>
        ${notice(outcome)}
        <label>Email address <input type="email" name="email" required value="${outcome?.typed?.email}" /></label>
        <button>Subscribe</button>
      </form>`,
  );

/** @param events where a preview hears that another draft was saved */
export const postPage = (post: FullPost, events?: string) =>
  layout(
    post.title,
    html`<article>
      <h1>${post.title}</h1>
      ${day(post.publishedAt)} ${raw(Bun.markdown.html(post.content))}
    </article>`,
    events ? html`<script src="/preview.js" data-events="${events}" defer></script>` : undefined,
  );

export const contactPage = (outcome?: Outcome) =>
  layout(
    "Contact",
    html`<h1>Contact</h1>
      <form method="post" action="/contact">
        ${notice(outcome)}
        <label>Name <input name="name" autocomplete="name" required value="${outcome?.typed?.name}" /></label>
        <label>Email address <input type="email" name="email" required value="${outcome?.typed?.email}" /></label>
        <label>Message <textarea name="message" required minlength="10">${outcome?.typed?.message}</textarea></label>
        <p hidden><input name="website" tabindex="-1" autocomplete="off" /></p>
        <button>Send</button>
      </form>`,
  );

export const notFoundPage = () => layout("Not found", html`<h1>Not found</h1>`);
