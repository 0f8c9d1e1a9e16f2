import { type BunRequest, file, serve, type Server } from "bun";
import { isPostroomError } from "postroom/client";
import { contactPage, homePage, notFoundPage, type Outcome, postPage } from "./pages";
import { postroom, previewEvents } from "./postroom";

const { PORT = "4000", BEHIND_PROXY } = process.env;

const server = serve({
  port: PORT,
  routes: {
    "/": { GET: home },
    "/newsletter": { POST: subscribe },
    "/contact": { GET: () => page(contactPage()), POST: contact },
    "/posts/:slug": { GET: post },
    "/feed.xml": feed,
    "/style.css": file(`${import.meta.dir}/style.css`),
    "/preview.js": file(`${import.meta.dir}/preview.js`),
  },
  fetch: () => page(notFoundPage(), 404),
});
console.log(`http://localhost:${server.port}`);

const page = (text: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8", ...headers } });

/** The client for this visitor, so that views and limits are theirs, and not this server’s. */
function clientFor(request: Request, at: Server<undefined>) {
  const forwarded = BEHIND_PROXY && request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return postroom.for({ address: forwarded || (at.requestIP(request)?.address ?? ""), headers: request.headers });
}

async function home(request: Request, _: unknown, outcome?: Outcome) {
  const cursor = new URL(request.url).searchParams.get("cursor");
  const posts = await postroom.posts.list({ limit: 10, ...(cursor && { cursor }) });
  return page(homePage(posts, outcome), outcome?.typed ? 400 : 200);
}

async function post(request: BunRequest<"/posts/:slug">, at: Server<undefined>) {
  const { slug } = request.params;
  const preview = new URL(request.url).searchParams.get("preview");
  const found = await clientFor(request, at).posts.get(slug, preview ? { preview } : {});
  if (!found) return page(notFoundPage(), 404);
  const hidden = { "cache-control": "no-store", "x-robots-tag": "noindex" };
  if (preview) return page(postPage(found, previewEvents(found.slug, preview)), 200, hidden);
  return found.slug === slug ? page(postPage(found)) : Response.redirect(`/posts/${found.slug}`, 301);
}

async function subscribe(request: Request, at: Server<undefined>) {
  const { email = "" } = await fieldsOf(request);
  const client = clientFor(request, at);
  const outcome = await outcomeOf({ email }, () => client.newsletter.subscribe({ email, source: "site" }));
  return home(request, at, outcome);
}

async function contact(request: Request, at: Server<undefined>) {
  const typed = await fieldsOf(request);
  const { name = "", email = "", message = "", website = "" } = typed;
  const client = clientFor(request, at);
  const outcome = await outcomeOf(typed, () => client.contact.send({ name, email, message, website, source: "site" }));
  return page(contactPage(outcome), outcome.typed ? 400 : 200);
}

async function feed() {
  return new Response(await postroom.feeds.rss(), { headers: { "content-type": "application/rss+xml" } });
}

async function fieldsOf(request: Request): Promise<Record<string, string>> {
  const form = await request.formData();
  return Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
}

/** What Postroom says to the form, or what is wrong with it. */
async function outcomeOf(typed: Record<string, string>, send: () => Promise<{ message: string }>): Promise<Outcome> {
  try {
    const { message } = await send();
    return { message };
  } catch (error) {
    if (!isPostroomError(error)) throw error;
    if (error.code === "VALIDATION_ERROR")
      return { typed, message: error.details.map(({ field, message }) => `Your ${field} ${message}.`).join(" ") };
    if (error.code === "RATE_LIMITED") return { typed, message: `Please try again in ${error.retryAfter} seconds.` };
    return { typed, message: "Nothing was saved. Please try again in a few minutes." };
  }
}
