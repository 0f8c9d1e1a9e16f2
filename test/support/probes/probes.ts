import * as apiKeys from "../../../db/access/keys/api-keys";
import * as postEdits from "../../../db/posts/edit";
import * as posts from "../../../db/posts/posts";
import * as projects from "../../../db/projects/projects";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as settings from "../settings";
import { confirmLink, preferencesLink, previewLink, recordLink, unsubscribeLink } from "../../../src/security/links";
import { sign } from "../../../src/platform/webhook-signature";
import { nextPeer, type testService } from "../service";
import { archived, archiveFails, archiveRefused } from "./archive-probes";
import { filesRefused, mediaFails, storedFiles } from "./file-probes";
import { type Probe, post } from "./probe";
import { keyedPeople, peopleRefused } from "./subscriber-probes";
import { allRefused, resuming } from "./upload-probes";

type Service = Awaited<ReturnType<typeof testService>>;

const message = { name: "Ada", email: "ada@example.com", message: "Hello, good morning." };
const upload = { filename: "harbour.jpg", mimeType: "image/jpeg", size: 1_000 };

/** A request for every status that a healthy service answers. They are to be sent in this order. */
export async function probes(service: Service): Promise<Probe[]> {
  const files = await storedFiles(service); // first: it takes a while of the service's clock
  const when = { published: true, publishedAt: service.now() };
  for (const slug of ["letters", "more"])
    await posts.save(service.db, { slug, title: slug, tags: ["Post"], content: "# Hello", ...when }, service.now());
  for (const slug of ["tide", "more"])
    await projects.save(
      service.db,
      { slug, title: slug, status: "PUBLISHED", liveUrl: "https://tide.example", tech: ["Ink"] },
      service.now(),
    );
  return [
    ...(await newsletter(service)),
    ...contact(),
    ...reports(service),
    ...(await content(service)),
    ...(await uploads(service)),
    ...(await resuming(service)),
    ...files,
    ...operations(),
    ...(await archived(service)),
    ...(await keyedPeople(service)),
    ...(await exhausted(service)),
  ];
}

async function newsletter(service: Service): Promise<Probe[]> {
  const { config } = service;
  const ada = { email: "ada@example.com" };
  const link = unsubscribeLink(config, ada.email);
  const peer = nextPeer();
  const subscribe = "POST /api/newsletter/subscribe";
  const [leave, back] = ["/api/newsletter/unsubscribe", "/api/newsletter/subscribe-again"];
  const letter = "/api/newsletter/leave";
  const inLetter = `${link.replace("unsubscribe?", "leave?")}&b=1`;
  const again = link.replace("unsubscribe?", "subscribe-again?");
  return [
    { to: subscribe, status: 201, init: post(ada), peer },
    { to: subscribe, status: 200, init: post(ada), peer },
    { to: subscribe, status: 400, init: post("{"), peer },
    { to: subscribe, status: 400, init: post({}), peer },
    { to: subscribe, status: 400, init: post({ email: "x" }, { "content-type": "text/plain" }), peer },
    { to: subscribe, status: 429, init: post(ada), peer },
    { to: `GET ${leave}`, status: 200, at: link },
    { to: `GET ${leave}`, status: 400 },
    { to: `POST ${leave}`, status: 200, at: link },
    { to: `POST ${leave}`, status: 400 },
    { to: `GET ${letter}`, status: 200, at: inLetter },
    { to: `GET ${letter}`, status: 400 },
    { to: `POST ${letter}`, status: 200, at: inLetter },
    { to: `POST ${letter}`, status: 400 },
    { to: `GET ${back}`, status: 200, at: again },
    { to: `GET ${back}`, status: 400 },
    { to: `POST ${back}`, status: 422, at: again, init: form({ do: "fewer" }) },
    { to: `POST ${back}`, status: 303, at: again },
    { to: `POST ${back}`, status: 400 },
    { to: `POST ${back}`, status: 429, at: again, peer },
    ...(await confirming(service)),
    ...ownPage(service),
  ];
}

const form = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });

/** The page of one's own: its token is that of the unsubscribe link. */
function ownPage({ config, now }: Service): Probe[] {
  const email = "ada@example.com";
  const own = preferencesLink(config, email);
  const [path, file] = ["/newsletter/preferences", "/newsletter/record"];
  const at = (ms: number) => recordLink(config, email, new Date(now().getTime() - ms));
  const peer = nextPeer();
  const save = { to: `POST ${path}`, at: own, init: form({ do: "save", offered: "", language: "en" }), peer };
  return [
    { to: `GET ${path}`, status: 200, at: own },
    { to: `GET ${path}`, status: 400 },
    { to: `POST ${path}`, status: 400 },
    ...Array<Probe>(20).fill({ ...save, status: 303 }),
    { ...save, status: 429 },
    { to: `GET ${file}`, status: 200, at: at(0) },
    { to: `GET ${file}`, status: 429, at: at(0), peer },
    { to: `GET ${file}`, status: 410, at: at(3_600_001) },
    { to: `GET ${file}`, status: 400 },
  ];
}

/** Links that work, are too old, and are none. */
async function confirming({ config, db, now }: Service): Promise<Probe[]> {
  const asked = new Date(now().getTime() - 8 * 86_400_000);
  await settings.set(db, "doubleOptIn", "true", { by: "cli" }, now());
  const email = "pending@example.com";
  await subscribers.subscribe(db, { email }, { via: "form" }, now());
  await settings.set(db, "doubleOptIn", "false", { by: "cli" }, now());
  const [good, late] = [confirmLink(config, email, now()), confirmLink(config, email, asked)];
  const [path, again] = ["/api/newsletter/confirm", "/api/newsletter/confirm-again"];
  const peer = nextPeer();
  return [
    { to: `GET ${path}`, status: 200, at: good },
    { to: `GET ${path}`, status: 400 },
    { to: `GET ${path}`, status: 410, at: late },
    { to: `POST ${path}`, status: 410, at: late },
    { to: `POST ${path}`, status: 303, at: good },
    { to: `POST ${path}`, status: 400 },
    { to: `POST ${again}`, status: 200, at: late.replace("confirm?", "confirm-again?") },
    ...Array<Probe>(5).fill({ to: `POST ${again}`, status: 400, peer }),
    { to: `POST ${again}`, status: 429, peer },
    { to: `POST ${path}`, status: 429, peer },
  ];
}

const report = "POST /api/webhooks/resend";

function reports({ config, now }: Service): Probe[] {
  const event = { type: "email.bounced", data: { from: config.MAIL_FROM, to: ["ada@example.com"] } };
  const bad = { to: report, status: 401, init: post(event), peer: nextPeer() };
  return [signedReport(config.MAILER_WEBHOOK_SECRET, event, now()), ...Array(60).fill(bad), { ...bad, status: 429 }];
}

function signedReport(secrets: string[], event: object, at: Date, status = 200): Probe {
  const [id, seconds, body] = ["msg_1", Math.floor(at.getTime() / 1_000), JSON.stringify(event)];
  const headers = { "svix-id": id, "svix-timestamp": String(seconds) };
  return { to: report, status, init: post(body, { ...headers, "svix-signature": sign(secrets, id, seconds, body) }) };
}

function contact(): Probe[] {
  const to = "POST /api/contact";
  const key = { "idempotency-key": "one" };
  const peer = nextPeer();
  return [
    { to, status: 201, init: post(message, key), peer },
    { to, status: 409, init: post({ ...message, message: "Quite another text." }, key), peer },
    { to, status: 400, init: post({}), peer },
    { to, status: 400, init: post(message, { "idempotency-key": "a b" }), peer },
    { to, status: 400, init: post("["), peer },
    { to, status: 429, init: post(message), peer },
  ];
}

const feeds = ["/rss.xml", "/atom.xml", "/sitemap.xml", "/sitemap-1.xml", "/robots.txt"];
const documented = (path: string) => `GET ${path.replace("-1.xml", "-{page}")}`;

async function file(get: Service["get"], at: string): Promise<Probe[]> {
  const etag = (await get(at)).headers.get("etag") ?? "";
  const to = documented(at);
  return [
    { to, status: 200, at },
    { to, status: 304, at, init: { headers: { "if-none-match": etag } } },
  ];
}

const oneProject = "GET /api/v1/projects/{slug}";

const watchPreview = "GET /api/posts/{slug}/preview-events";

/** Where the events of a preview are. */
async function eventsOf({ config, db, now, signIn }: Service): Promise<string> {
  const { manager } = await signIn({ email: "previews@example.com" });
  const { id } = await posts.save(db, { slug: "events", title: "Events", published: false }, now());
  return eventsFor({ config, now }, id, manager.id);
}

function eventsFor({ config, now }: Pick<Service, "config" | "now">, id: string, managerId: string): string {
  const page = "http://localhost:3000/api/posts/events/preview-events";
  const { pathname, search } = new URL(previewLink(config, { id, page }, managerId, 7, now()).url);
  return pathname + search;
}

async function content(service: Service): Promise<Probe[]> {
  const { db, get, key, now } = service;
  const headers = await key();
  const old = await posts.save(db, { slug: "mail", title: "Mail", published: true }, new Date(now().getTime() - 1_000));
  const edit = { id: old.id, version: old.version, typed: { fields: {}, content: "" } };
  await postEdits.edit(db, { ...edit, fields: { ...old, slug: "post-office", tags: [] } }, { actor: "test" }, now());
  const reads: [path: string, query: string][] = [
    ["/api/v1/posts", "?limit=1&q=he&tag=post"],
    ["/api/v1/projects", "?limit=1&featured=false"],
    ["/api/v1/settings", ""],
  ];
  const lists = reads.map(async ([path, query]): Promise<Probe[]> => {
    const etag = (await get(path, headers)).headers.get("etag") ?? "";
    return [
      { to: `GET ${path}`, status: 200, at: `${path}${query}`, init: { headers } },
      { to: `GET ${path}`, status: 304, init: { headers: { ...headers, "if-none-match": etag } } },
      { to: `GET ${path}`, status: 401 },
      ...(query ? [{ to: `GET ${path}`, status: 400, at: `${path}?limit=0`, init: { headers } }] : []),
    ];
  });
  const read = "GET /api/posts/{slug}";
  const etag = (await get("/api/posts/letters")).headers.get("etag") ?? "";
  const visit = "GET /api/projects/{slug}/visit";
  const project = await get("/api/v1/projects/tide", headers);
  const condition = { "if-none-match": project.headers.get("etag") ?? "" };
  return [
    ...(await Promise.all(lists)).flat(),
    { to: oneProject, status: 200, at: "/api/v1/projects/tide", init: { headers } },
    { to: oneProject, status: 304, at: "/api/v1/projects/tide", init: { headers: { ...headers, ...condition } } },
    { to: oneProject, status: 404, at: "/api/v1/projects/nothing", init: { headers } },
    { to: oneProject, status: 401, at: "/api/v1/projects/tide" },
    { to: read, status: 200, at: "/api/posts/letters" },
    { to: read, status: 304, at: "/api/posts/letters", init: { headers: { "if-none-match": etag } } },
    { to: read, status: 301, at: "/api/posts/mail" },
    { to: read, status: 404, at: "/api/posts/nothing" },
    { to: watchPreview, status: 200, at: await eventsOf(service) },
    { to: watchPreview, status: 404, at: "/api/posts/letters/preview-events?preview=x" },
    ...(await Promise.all(feeds.map((path) => file(get, path)))).flat(),
    { to: "GET /sitemap-{page}", status: 404, at: "/sitemap-2.xml" },
    { to: visit, status: 302, at: "/api/projects/tide/visit" },
    { to: visit, status: 404, at: "/api/projects/nothing/visit" },
  ];
}

async function uploads({ key }: Service): Promise<Probe[]> {
  const headers = await key();
  const to = "POST /api/v1/storage/upload";
  return [
    { to, status: 200, init: post(upload, headers) },
    { to, status: 507, init: post({ ...upload, size: 5 * 2 ** 40 }, headers) },
    { to, status: 200, init: post(upload, { ...headers, "idempotency-key": "k" }) },
    { to, status: 409, init: post({ ...upload, size: 1 }, { ...headers, "idempotency-key": "k" }) },
    { to, status: 400, init: post({ ...upload, size: -1 }, headers) },
    { to, status: 400, init: post("{", headers) },
    { to, status: 401, init: post("{") },
  ];
}

/** What a key that has made its 600 requests is told. */
async function exhausted({ db, get, key, now }: Service): Promise<Probe[]> {
  const headers = await key();
  for (let i = 0; i < 600; i++) await get("/api/v1/settings", headers);
  const site = await apiKeys.generate(db, { prefix: "site", name: "Site", scopes: ["visitors"] }, now());
  const visitor = { "x-api-key": site.key, "postroom-visitor-address": "8.8.8.8" };
  for (let i = 0; i < 3_000; i++) await get("/api/posts/letters", visitor);
  return [
    { to: "GET /api/posts/{slug}", status: 429, at: "/api/posts/letters", init: { headers: visitor } },
    { to: watchPreview, status: 429, at: "/api/posts/letters/preview-events", init: { headers: visitor } },
    { to: "GET /api/projects/{slug}/visit", status: 429, at: "/api/projects/tide/visit", init: { headers: visitor } },
    { to: "GET /api/v1/posts", status: 429, init: { headers } },
    { to: "GET /api/v1/projects", status: 429, init: { headers } },
    { to: oneProject, status: 429, at: "/api/v1/projects/tide", init: { headers } },
    { to: "GET /api/v1/settings", status: 429, init: { headers } },
    { to: "POST /api/v1/storage/upload", status: 429, init: post(upload, headers) },
    ...allRefused(429, headers),
    ...filesRefused(429, headers),
    ...archiveRefused(429, headers),
    ...peopleRefused(429, headers),
  ];
}

const operations = (): Probe[] => [
  { to: "GET /healthz", status: 200 },
  { to: "GET /readyz", status: 200 },
  { to: "GET /metrics", status: 200, peer: "127.0.0.1" },
  { to: "GET /metrics", status: 404 },
  { to: "GET /openapi.json", status: 200 },
  { to: "GET /docs", status: 200 },
  { to: "GET /docs.md", status: 200 },
  { to: "GET /llms.txt", status: 200 },
  { to: "GET /docs/search", status: 200, at: "/docs/search?q=upload" },
  { to: "GET /docs/postroom-client.tgz", status: 200 },
  { to: "GET /docs/postroom-examples.tgz", status: 200 },
  { to: "GET /docs/{page}", status: 200, at: "/docs/errors" },
  { to: "GET /docs/{page}", status: 404, at: "/docs/nothing" },
];

/** What a service answers whose database will be gone by then. */
export async function failures({ config, key, now }: Service): Promise<Probe[]> {
  const headers = await key();
  const link = unsubscribeLink(config, "ada@example.com");
  const again = link.replace("unsubscribe?", "subscribe-again?");
  const toConfirm = confirmLink(config, "ada@example.com", now());
  return [
    { to: watchPreview, status: 500, at: eventsFor({ config, now }, Bun.randomUUIDv7(), Bun.randomUUIDv7()) },
    { to: "POST /api/newsletter/subscribe", status: 500, init: post({ email: "ada@example.com" }) },
    { to: "GET /api/newsletter/unsubscribe", status: 500, at: link },
    { to: "POST /api/newsletter/unsubscribe", status: 500, at: link },
    { to: "GET /api/newsletter/leave", status: 500, at: link.replace("unsubscribe?", "leave?") },
    { to: "POST /api/newsletter/leave", status: 500, at: link.replace("unsubscribe?", "leave?") },
    { to: "GET /api/newsletter/subscribe-again", status: 500, at: again },
    { to: "POST /api/newsletter/subscribe-again", status: 500, at: again },
    { to: "GET /api/newsletter/confirm", status: 500, at: toConfirm },
    { to: "POST /api/newsletter/confirm", status: 500, at: toConfirm },
    { to: "POST /api/newsletter/confirm-again", status: 500, at: toConfirm.replace("confirm?", "confirm-again?") },
    { to: "GET /newsletter/preferences", status: 500, at: preferencesLink(config, "ada@example.com") },
    {
      to: "POST /newsletter/preferences",
      status: 500,
      at: preferencesLink(config, "ada@example.com"),
      init: form({ do: "resume" }),
    },
    { to: "GET /newsletter/record", status: 500, at: recordLink(config, "ada@example.com", now()) },
    { to: "POST /api/contact", status: 500, init: post(message) },
    signedReport(
      config.MAILER_WEBHOOK_SECRET,
      { type: "email.complained", data: { from: config.MAIL_FROM, to: ["ada@example.com"] } },
      now(),
      500,
    ),
    { to: "GET /api/posts/{slug}", status: 500, at: "/api/posts/letters" },
    ...feeds.map((at) => ({ to: documented(at), status: 500, at })),
    { to: "GET /api/projects/{slug}/visit", status: 500, at: "/api/projects/tide/visit" },
    { to: "GET /api/v1/posts", status: 500, init: { headers } },
    { to: "GET /api/v1/projects", status: 500, init: { headers } },
    { to: oneProject, status: 500, at: "/api/v1/projects/tide", init: { headers } },
    { to: "GET /api/v1/settings", status: 500, init: { headers } },
    { to: "POST /api/v1/storage/upload", status: 500, init: post(upload, headers) },
    ...allRefused(500, headers),
    ...filesRefused(500, headers),
    ...archiveRefused(500, headers),
    ...peopleRefused(500, await key("People", ["newsletter:write"])),
    ...archiveFails,
    mediaFails,
    { to: "GET /readyz", status: 503 },
    { to: "GET /metrics", status: 500, peer: "127.0.0.1" },
    { to: "GET /metrics", status: 401 },
  ];
}
