import type { Step } from "../../views/docs/guides";
import astroConfig from "./docs-snippets/astro-config.txt" with { type: "text" };
import astroList from "./docs-snippets/astro-list.txt" with { type: "text" };
import astroNewsletter from "./docs-snippets/astro-newsletter.txt" with { type: "text" };
import astroPost from "./docs-snippets/astro-post.txt" with { type: "text" };
import honoApp from "./docs-snippets/hono-app.txt" with { type: "text" };
import htmlContact from "./docs-snippets/html-contact.txt" with { type: "text" };
import htmlNewsletter from "./docs-snippets/html-newsletter.txt" with { type: "text" };
import clientModule from "./docs-snippets/module.ts.txt" with { type: "text" };
import nextAction from "./docs-snippets/next-action.txt" with { type: "text" };
import nextLayout from "./docs-snippets/next-layout.txt" with { type: "text" };
import nextList from "./docs-snippets/next-list.txt" with { type: "text" };
import nextNewsletter from "./docs-snippets/next-newsletter.txt" with { type: "text" };
import nextPost from "./docs-snippets/next-post.txt" with { type: "text" };
import svelteList from "./docs-snippets/sveltekit-list.txt" with { type: "text" };
import svelteListPage from "./docs-snippets/sveltekit-list-page.txt" with { type: "text" };
import svelteModule from "./docs-snippets/sveltekit-module.ts.txt" with { type: "text" };
import svelteNewsletter from "./docs-snippets/sveltekit-newsletter.txt" with { type: "text" };
import svelteNewsletterPage from "./docs-snippets/sveltekit-newsletter-page.txt" with { type: "text" };
import sveltePost from "./docs-snippets/sveltekit-post.txt" with { type: "text" };
import sveltePostPage from "./docs-snippets/sveltekit-post-page.txt" with { type: "text" };
import subscribeModule from "./docs-snippets/subscribe.ts.txt" with { type: "text" };
import { clientPackage } from "./packages";

export type Quickstart = { slug: string; title: string; lead: string; steps: Step[] };

const begin: Step = {
  id: "begin",
  title: "Start Postroom",
  text: "Does a service run already, so that you have its URL and can sign in to its dashboard? Then go on to the next step: this one and the commands in Postroom’s folder are for its operator. Sample posts fill an empty database; leave that line out if you have posts of your own. `npm start` prints a link to set up the dashboard, and stays open.",
  file: "Command line, in Postroom’s folder",
  code: "npm ci\nnpm run postroom -- demo\nnpm start",
};
/** @param packages what else the site needs @param makeFolder the commands that make it and go there */
const install = (
  packages: string,
  more = "",
  makeFolder = "mkdir my-site && cd my-site\nnpm init -y && npm pkg set type=module",
): Step => ({
  id: "install",
  title: "Install the client",
  text: `Postroom itself serves its client, a package without dependencies. Do not \`npm install postroom\`: the package of that name on npm is someone else’s. After an update of Postroom, install it again.${more} \`marked\` renders the Markdown of posts.`,
  file: "Command line",
  code: `${makeFolder}\nnpm install \\\n  {baseUrl}/docs/${clientPackage}\nnpm install ${packages}`,
});
const run = (command: string, text: string): Step => ({
  id: "run",
  title: "Run it",
  text: `${text} “Missing API key” means that the environment of the site has no \`POSTROOM_KEY\`.`,
  file: "Command line, in your site’s folder",
  code: `export POSTROOM_KEY=site_live_…\n${command}`,
});
const key: Step = {
  id: "key",
  title: "Create an API key",
  text: "In the dashboard under API keys, or with this command. The key is shown once. The scope `visitors` lets your server name its visitors, so that each of them counts as one view. Keep the key in the environment of your site, never in code for browsers.",
  file: "Command line, in Postroom’s folder",
  code: 'npm run postroom -- keys create "My site" --scopes=content:read,visitors',
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
  text: `A post that does not exist is \`null\`. ${address} A page from a cache counts no view. How pictures are shown is on the page “A blog”.`,
  file,
  code,
});

const subscribe = (file: string): Step => ({
  id: "subscribers",
  title: "Subscribe visitors",
  text: "Your server subscribes on behalf of the visitor, so that each has a limit of their own. What it returns is in the language of the site. On your own machine you are one visitor: five forms in ten minutes.",
  file,
  code: subscribeModule,
});
const newsletter = (file: string, code: string, text = ""): Step => ({
  id: "newsletter",
  title: "A page with the newsletter form",
  text: `The form works without a script.${text} A contact form is the same, with \`postroom.contact.send\`; forms that need no code of yours are on the page “Plain HTML”.`,
  file,
  code,
});

const connect = (blogUrl: string): Step => ({
  id: "connect",
  title: "Say where posts are read",
  text: "An owner enters it in the dashboard, under Settings, Set up, as the address of your site. Then links in emails, feeds, previews and the dashboard lead there, and forms of its pages are accepted immediately. The operator can set it in the environment instead. The sample content comes with an address of its own: enter the URL of a post under Settings, Site, or empty that field.",
  file: "In place of the dashboard: .env in Postroom’s folder; then restart it",
  code: `BLOG_URL=${blogUrl}`,
});

const proxied =
  "Behind your own proxy, the address must be the visitor’s, not the proxy’s: the page “Visitors” has the code.";

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
        text: "An owner enters the origins of your sites in the dashboard, under Settings, Set up, and forms are accepted immediately; the operator can set `CORS_ORIGINS` instead. Postroom’s own origin and that of the address of your site (`BLOG_URL`) are always in. While you try, it is where you look at your page, such as `http://localhost:8080`; a page opened as a file has no origin. “The form was not accepted” names an origin that is none of them. What is refused counts, too: after five forms in ten minutes, wait.",
        file: "In place of the dashboard: .env in Postroom’s folder; then restart it",
        code: "CORS_ORIGINS=https://example.com,http://localhost:8080",
      },
      {
        id: "newsletter",
        title: "Newsletter form",
        text: "Serve the page, for example with `npx serve -l 8080`. The visitor sees a thank-you page in the site’s language, or a page of yours whose URL is in a field `next`. The email with the link to unsubscribe is sent by Postroom.",
        file: "index.html",
        code: htmlNewsletter,
      },
      {
        id: "contact",
        title: "Contact form",
        text: "The hidden field `website` catches robots. A field `next` works here, too.",
        file: "contact.html",
        code: htmlContact,
      },
    ],
  },
  {
    slug: "astro",
    title: "Astro",
    lead: "A blog in Astro, rendered on the server.",
    steps: [
      begin,
      install(
        "astro @astrojs/node marked",
        " Astro 7 needs Node 22.12 or later. An adapter is what renders a page when it is requested; for a site that is built once, see the folder `astro` of the examples, which are on the page “The TypeScript client”.",
      ),
      key,
      {
        id: "config",
        title: "Render on the server",
        text: "Every adapter will do. This one makes a server for Node.",
        file: "astro.config.mjs",
        code: astroConfig,
      },
      client("src/lib/postroom.ts", clientModule),
      list("src/pages/index.astro", astroList),
      post("src/pages/posts/[slug].astro", astroPost, `\`Astro.clientAddress\` comes from the adapter. ${proxied}`),
      subscribe("src/lib/subscribe.ts"),
      newsletter("src/pages/newsletter.astro", astroNewsletter),
      run("npx astro dev", "Then open `http://localhost:4321`."),
      connect("http://localhost:4321"),
    ],
  },
  {
    slug: "next",
    title: "Next",
    lead: "A blog in Next with the app router.",
    steps: [
      begin,
      install("next react react-dom marked\nnpm install typescript @types/node @types/react"),
      key,
      client("lib/postroom.ts", clientModule),
      {
        id: "layout",
        title: "The frame of every page",
        text: "If you have a site from `create-next-app`, it has one. Turn `cacheComponents` off in its `next.config.ts`: pages here are made for each request.",
        file: "app/layout.tsx",
        code: nextLayout,
      },
      list("app/page.tsx", nextList),
      post(
        "app/posts/[slug]/page.tsx",
        nextPost,
        "The last address of `X-Forwarded-For` is the one that your own proxy saw.",
      ),
      subscribe("lib/subscribe.ts"),
      {
        id: "action",
        title: "A server action",
        text: "The form calls it on your server, where the key is.",
        file: "app/actions.ts",
        code: nextAction,
      },
      newsletter("app/newsletter/page.tsx", nextNewsletter),
      run("npx next dev --port 3100", "Then open `http://localhost:3100`."),
      connect("http://localhost:3100"),
    ],
  },
  {
    slug: "hono",
    title: "Hono",
    lead: "A blog in Hono, rendered on the server.",
    steps: [
      begin,
      install("hono bun marked", " Bun runs it here."),
      key,
      client("src/postroom.ts", clientModule),
      subscribe("src/subscribe.ts"),
      {
        id: "app",
        title: "Make the app",
        text: `A list of posts, one post, and a newsletter form that works without a script. \`html\` escapes what is put into it, and \`raw\` does not. On Node, install \`@hono/node-server\`: \`getConnInfo\` is in \`@hono/node-server/conninfo\`, and the last line becomes \`serve({ fetch: app.fetch, port: 8080 })\`, with \`serve\` from \`@hono/node-server\`. ${proxied}`,
        file: "src/index.ts",
        code: honoApp,
      },
      run("PORT=8080 npx bun src/index.ts", "Then open `http://localhost:8080`."),
      connect("http://localhost:8080"),
    ],
  },
  {
    slug: "sveltekit",
    title: "SvelteKit",
    lead: "A blog in SvelteKit, loaded on the server.",
    steps: [
      begin,
      install(
        "marked",
        "",
        "npx sv create my-site --template minimal \\\n  --types ts --no-add-ons --install npm\ncd my-site",
      ),
      key,
      client("src/lib/server/postroom.ts", svelteModule),
      list("src/routes/+page.server.ts", svelteList),
      {
        id: "list-page",
        title: "The page of the list",
        text: "`data` is what `load` returned.",
        file: "src/routes/+page.svelte",
        code: svelteListPage,
      },
      post(
        "src/routes/posts/[slug]/+page.server.ts",
        sveltePost,
        `\`getClientAddress\` comes from the adapter. ${proxied}`,
      ),
      {
        id: "post-page",
        title: "The page of a post",
        text: "What managers write is shown as they write it, HTML included.",
        file: "src/routes/posts/[slug]/+page.svelte",
        code: sveltePostPage,
      },
      subscribe("src/lib/server/subscribe.ts"),
      {
        id: "action",
        title: "A form action",
        text: "It runs on your server, where the key is.",
        file: "src/routes/newsletter/+page.server.ts",
        code: svelteNewsletter,
      },
      newsletter("src/routes/newsletter/+page.svelte", svelteNewsletterPage),
      run("npm run dev", "Then open `http://localhost:5173`."),
      connect("http://localhost:5173"),
    ],
  },
];
