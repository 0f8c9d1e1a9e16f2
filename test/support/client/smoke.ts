import { createClient, isPostroomError, verifyWebhook } from "../../../src/client/client";

/** What `smoke` returns, in every runtime. */
export const smokeLines = [
  "subscribe: false",
  "subscribe again: true",
  'subscribe wrongly: ["VALIDATION_ERROR",400]',
  'contact: "Thank you. Your message has been received."',
  'old slug: "post-1"',
  "no post: null",
  'visit: "/api/projects/project-1/visit"',
  'live: "ok"',
  'ready: "ready"',
  'rss: "<?xml"',
  'atom: "<?xml"',
  'sitemap: "<?xml"',
  'newsletter: "<?xml"',
  'with a wrong key: ["UNAUTHORIZED",401]',
  'posts: [["post-1","post-2"],2,5,true]',
  'all posts: ["post-1","post-2","post-3","post-4","post-5"]',
  "the same post: true",
  "featured: 1",
  'project: "Project 2"',
  "settings: 0",
  'broadcast: "Snow"',
  'add a subscriber: ["created","Grace",[]]',
  'add many: ["created","invalid","known"]',
  'who: [["grace@example.com"],null]',
  "how many: 3",
  'all subscribers: ["ada@example.com","grace@example.com","joan@example.com"]',
  'the subscriber: ["shop"]',
  'changed: [null,["vip"]]',
  "erased: true",
  "no subscriber: null",
  'file: ["a.txt",23,"docs"]',
  "empty file: 0",
  'the file: "text/plain"',
  'folders: [{"path":"docs","files":1}]',
  "files: 1",
  'download: "Bytes, bytes and bytes."',
  'moved: "moved"',
  "trash: true",
  "no file: null",
  'several parts: [true,true,true,"done"]',
  'webhook: "ping"',
  'webhook: "WebhookError: The webhook’s call was not accepted (signature)."',
];

/**
 * Calls everything that a client has, on a filled site. It runs in each runtime as one file, so it needs nothing of any.
 *
 * @returns a line for each call
 */
export async function smoke(baseUrl: string, key: string): Promise<string[]> {
  const lines: string[] = [];
  const say = (what: string, value: unknown) => void lines.push(`${what}: ${JSON.stringify(value)}`);
  const codeOf = (error: unknown) => (isPostroomError(error) ? [error.code, error.status] : String(error));
  const site = createClient({ baseUrl, key });

  const visitors = createClient({ baseUrl });
  say("subscribe", (await visitors.newsletter.subscribe({ email: "ada@example.com" })).alreadySubscribed);
  say("subscribe again", (await visitors.newsletter.subscribe({ email: "ada@example.com" })).alreadySubscribed);
  say("subscribe wrongly", await visitors.newsletter.subscribe({ email: "ada" }).catch(codeOf));
  const message = { name: "Ada", email: "ada@example.com", message: "Hello, is this on?" };
  say("contact", (await visitors.contact.send(message)).message);
  say("old slug", (await visitors.posts.get("old"))?.slug);
  say("no post", await visitors.posts.get("none"));
  say("visit", visitors.projects.visitUrl("project-1").replace(baseUrl, ""));
  say("live", (await visitors.health.live()).status);
  say("ready", (await visitors.health.ready()).status);
  for (const name of ["rss", "atom", "sitemap", "newsletter"] as const)
    say(name, (await visitors.feeds[name]()).slice(0, 5));
  say("with a wrong key", await createClient({ baseUrl, key: "wrong" }).settings.get().catch(codeOf));

  const page = await site.posts.list({ limit: 2, tag: "notes" });
  say("posts", [page.items.map(({ slug }) => slug), page.count, page.total, page.next !== null]);
  const slugs: string[] = [];
  for await (const { slug } of site.posts.all({ limit: 2 })) slugs.push(slug);
  say("all posts", slugs);
  const [once, twice] = [await site.posts.get("post-2"), await site.posts.get("post-2")];
  say("the same post", once !== null && once === twice);
  say("featured", (await site.projects.list({ featured: true })).items.length);
  say("project", (await site.projects.get("project-2"))?.title);
  say("settings", (await site.settings.get()).count);
  const [newest] = (await site.newsletter.broadcasts.list()).items;
  say("broadcast", (await site.newsletter.broadcasts.get(newest?.slug ?? ""))?.subject);

  const { subscribers } = site.newsletter;
  const consent = { how: "Box ticked at checkout", at: "2026-01-02T03:04:05Z" };
  const added = await subscribers.create({ email: "grace@example.com", name: "Grace", tags: ["shop"], consent });
  const id = added.subscriber?.id ?? "";
  say("add a subscriber", [added.result, added.subscriber?.name, added.ignored]);
  const batch = [
    { email: "joan@example.com", consent },
    { email: "grace", consent },
    { email: "grace@example.com", consent },
  ];
  say(
    "add many",
    (await subscribers.createMany(batch)).map(({ result }) => result),
  );
  const found = await subscribers.list({ email: "GRACE@example.com" });
  say("who", [found.items.map(({ email }) => email), found.total]);
  say("how many", (await subscribers.list({ limit: 1, count: true })).total);
  const addresses: string[] = [];
  for await (const { email } of subscribers.all({ limit: 2 })) addresses.push(email);
  say("all subscribers", addresses);
  say("the subscriber", (await subscribers.get(id))?.tags);
  const changed = await subscribers.update(id, { name: null, tags: { add: ["vip"], remove: ["shop"] } });
  say("changed", [changed.subscriber.name, changed.subscriber.tags]);
  say("erased", (await subscribers.erase(id)).id === id);
  say("no subscriber", await subscribers.get(id));

  const text = "Bytes, bytes and bytes.";
  const file = await site.upload(new Blob([text]), { filename: "a.txt", mimeType: "text/plain", folderPath: "docs" });
  say("file", [file.filename, file.size, file.folderPath]);
  say("empty file", (await site.upload(new Blob([]), { filename: "empty" })).size);
  say("the file", (await site.files.get(file.id))?.mimeType);
  say("folders", await site.files.folders());
  say("files", (await site.files.list({ folderPath: "docs" })).total);
  const link = await site.files.link(file.id);
  say("download", await (await fetch(link?.url ?? "")).text());
  say("moved", (await site.files.update(file.id, { filename: "b.txt", folderPath: "moved" })).folderPath);
  say("trash", (await site.files.delete(file.id)).id === file.id);
  say("no file", await site.files.get(file.id));
  say("several parts", await inParts(site));

  const events = [await signed(secret, "1763726400"), await signed("whsec_b3RoZXI=", "1763726400")];
  const now = new Date(1_763_726_400_000);
  for (const event of events)
    say(
      "webhook",
      await verifyWebhook(event, secret, { now }).then(
        ({ type }) => type,
        (error) => String(error),
      ),
    );
  return lines;
}

const partBytes = 5 * 2 ** 20;

/** An upload that was reserved by other means is continued, paused and continued again. */
async function inParts(site: ReturnType<typeof withKey>): Promise<unknown> {
  const size = partBytes + 1_000_000;
  const bytes = new Uint8Array(size).map((_, i) => i % 251);
  const { _meta, partSize = null } = await site.uploads.create({
    filename: "film.mp4",
    mimeType: "video/mp4",
    size,
    multipart: true,
  });
  const state = { id: _meta.reservationId, size, partSize, filename: "film.mp4" };
  const sent: number[] = [];
  const upload = site.upload(new Blob([bytes]), {
    resume: JSON.stringify(state),
    onProgress: (progress) => sent.push(progress.sent),
  });
  upload.pause();
  upload.resume();
  const file = await upload;
  const link = await site.files.link(file.id);
  const stored = new Uint8Array(await (await fetch(link?.url ?? "")).arrayBuffer());
  return [file.size === size, sent.at(-1) === size, stored.every((byte, i) => byte === bytes[i]), upload.status];
}

const withKey = (baseUrl: string, key: string) => createClient({ baseUrl, key });

const secret = "whsec_c2VjcmV0";

/** A call as the service makes it, without its code. */
async function signed(withSecret: string, timestamp: string) {
  const body = JSON.stringify({ type: "ping", timestamp: "2025-11-21T12:00:00Z", data: { id: "1" } });
  const raw = Uint8Array.from(atob(withSecret.slice(6)), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`id.${timestamp}.${body}`));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)));
  const headers = { "webhook-id": "id", "webhook-timestamp": timestamp, "webhook-signature": `v1,${base64}` };
  return new Request("http://localhost/", { method: "POST", body, headers });
}
