import type { Step } from "../../views/docs/quickstart";
import astroList from "./docs-snippets/astro-list.txt" with { type: "text" };
import astroPost from "./docs-snippets/astro-post.txt" with { type: "text" };
import honoApp from "./docs-snippets/hono-app.txt" with { type: "text" };
import htmlContact from "./docs-snippets/html-contact.txt" with { type: "text" };
import htmlNewsletter from "./docs-snippets/html-newsletter.txt" with { type: "text" };
import clientModule from "./docs-snippets/module.ts.txt" with { type: "text" };
import nextList from "./docs-snippets/next-list.txt" with { type: "text" };
import nextPost from "./docs-snippets/next-post.txt" with { type: "text" };
import svelteList from "./docs-snippets/sveltekit-list.txt" with { type: "text" };
import svelteModule from "./docs-snippets/sveltekit-module.ts.txt" with { type: "text" };
import sveltePost from "./docs-snippets/sveltekit-post.txt" with { type: "text" };

export type Quickstart = { slug: string; title: string; lead: string; steps: Step[] };

const install: Step = {
  id: "install",
  title: "Install the client",
  text: "`npm run client` in Postroom’s folder builds the package. Install it from there, or publish it to your registry. It has no dependencies.",
  file: "Command line",
  code: "npm run client\ncd ../my-site\nnpm install ../postroom/dist/client",
};
const key: Step = {
  id: "key",
  title: "Create an API key",
  text: "Run this in Postroom’s folder, or create the key in the dashboard. The scope `visitors` lets your server name its visitors, so that each of them counts as one view. Keep the key in the environment of your site, never in code for browsers.",
  file: "Command line",
  code: 'npm run postroom -- keys create "My site" --scopes=content:read,visitors\nexport POSTROOM_KEY=…',
};
const client = (file: string, code: string): Step => ({
  id: "client",
  title: "Make the client",
  text: "One client for all requests: it keeps what did not change, and retries what failed for a moment.",
  file,
  code,
});
const list = (file: string, code: string): Step => ({
  id: "list",
  title: "List posts",
  text: "The published posts, newest first.",
  file,
  code,
});
const post = (file: string, code: string, address: string): Step => ({
  id: "post",
  title: "Show a post",
  text: `A post that does not exist is \`null\`. ${address} A page from a cache counts no view.`,
  file,
  code,
});

const proxied = "Behind your own proxy, the address must be the visitor’s, not the proxy’s.";

/** First steps for each kind of site. */
export const quickstarts: Quickstart[] = [
  {
    slug: "html",
    title: "Plain HTML",
    lead: "A newsletter form and a contact form without a script, on any page.",
    steps: [
      {
        id: "origin",
        title: "Allow your site",
        text: "Forms are accepted from the origins in `CORS_ORIGINS`. Set it where Postroom runs, and restart it.",
        file: ".env",
        code: "CORS_ORIGINS=https://example.com",
      },
      {
        id: "newsletter",
        title: "Newsletter form",
        text: "The visitor sees a thank-you page in the site’s language. The email with the link to unsubscribe is sent by Postroom.",
        file: "index.html",
        code: htmlNewsletter,
      },
      {
        id: "contact",
        title: "Contact form",
        text: "The hidden field `website` catches robots. Add a field `next` with the URL of a page of yours to return there instead.",
        file: "contact.html",
        code: htmlContact,
      },
    ],
  },
  {
    slug: "astro",
    title: "Astro",
    lead: "Posts in Astro, rendered on the server.",
    steps: [
      install,
      key,
      client("src/lib/postroom.ts", clientModule),
      list("src/pages/index.astro", astroList),
      post("src/pages/posts/[slug].astro", astroPost, `\`Astro.clientAddress\` comes from the adapter. ${proxied}`),
    ],
  },
  {
    slug: "next",
    title: "Next",
    lead: "Posts in Next with the app router.",
    steps: [
      install,
      key,
      client("lib/postroom.ts", clientModule),
      list("app/page.tsx", nextList),
      post(
        "app/posts/[slug]/page.tsx",
        nextPost,
        "The last address of `X-Forwarded-For` is the one that your own proxy saw.",
      ),
    ],
  },
  {
    slug: "hono",
    title: "Hono",
    lead: "Posts in Hono, as JSON.",
    steps: [
      install,
      key,
      client("src/postroom.ts", clientModule),
      {
        id: "app",
        title: "Make the app",
        text: `A list of posts, and one post. On Node, \`getConnInfo\` is in \`@hono/node-server/conninfo\`. ${proxied}`,
        file: "src/index.ts",
        code: honoApp,
      },
    ],
  },
  {
    slug: "sveltekit",
    title: "SvelteKit",
    lead: "Posts in SvelteKit, loaded on the server.",
    steps: [
      install,
      key,
      client("src/lib/server/postroom.ts", svelteModule),
      list("src/routes/+page.server.ts", svelteList),
      post(
        "src/routes/posts/[slug]/+page.server.ts",
        sveltePost,
        `\`getClientAddress\` comes from the adapter. ${proxied}`,
      ),
    ],
  },
];
