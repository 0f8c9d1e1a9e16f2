import { confirmedBroadcast } from "../broadcasts/archive";
import type { Probe } from "./probe";
import { nextPeer, type testService } from "../service";

type Service = Awaited<ReturnType<typeof testService>>;

const keyed = "/api/v1/newsletter/broadcasts";
const files = ["/newsletter", "/newsletter/rain", "/newsletter.xml", "/newsletter-sitemap.xml"];
const documented = (path: string) => path.replace(/\/rain$/, "/{slug}");
const submitted = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });
const form = "POST /newsletter/subscribe";
const contactForm = "POST /contact";
const message = { name: "Ada", email: "ada@example.com", message: "Hello, is this thing on?" };

/** Every status of the newsletter's archive, the public forms and the archive's keyed reads. */
export async function archived({ config, db, get, key, now }: Service): Promise<Probe[]> {
  for (const subject of ["Rain", "Wind"]) await confirmedBroadcast(db, now(), { subject });
  const headers = await key();
  const peer = nextPeer();
  const unchanged = async (at: string, more: Record<string, string>) => {
    const etag = (await get(at, more)).headers.get("etag") ?? "";
    return { to: `GET ${documented(at)}`, status: 304, at, init: { headers: { ...more, "if-none-match": etag } } };
  };
  return [
    ...files.map((at) => ({ to: `GET ${documented(at)}`, status: 200, at })),
    ...(await Promise.all(files.map((at) => unchanged(at, {})))),
    { to: "GET /newsletter", status: 404, at: "/newsletter?page=9" },
    { to: "GET /newsletter/{slug}", status: 404, at: "/newsletter/nothing" },
    { to: "GET /newsletter/subscribe", status: 303, init: { redirect: "manual" } },
    { to: form, status: 200, init: submitted({ email: "form@example.com" }), peer },
    { to: form, status: 303, init: submitted({ email: "form@example.com", next: config.BASE_URL }), peer },
    ...[1, 2, 3].map(() => ({ to: form, status: 400, init: submitted({ email: "x" }), peer })),
    { to: form, status: 429, init: submitted({ email: "form@example.com" }), peer },
    { to: "GET /contact", status: 303, init: { redirect: "manual" } },
    { to: contactForm, status: 200, init: submitted(message), peer },
    { to: contactForm, status: 303, init: submitted({ ...message, next: `${config.BASE_URL}/thanks` }), peer },
    ...[1, 2, 3].map(() => ({ to: contactForm, status: 400, init: submitted({}), peer })),
    { to: contactForm, status: 429, init: submitted(message), peer },
    ...archiveRefused(401, {}),
    { to: `GET ${keyed}`, status: 200, at: `${keyed}?limit=1`, init: { headers } },
    { to: `GET ${keyed}/{slug}`, status: 200, at: `${keyed}/rain`, init: { headers } },
    await unchanged(keyed, headers),
    await unchanged(`${keyed}/rain`, headers),
    { to: `GET ${keyed}`, status: 400, at: `${keyed}?limit=0`, init: { headers } },
    { to: `GET ${keyed}/{slug}`, status: 404, at: `${keyed}/nothing`, init: { headers } },
  ];
}

/** The keyed reads, with a key that is used up, or without a database. */
export const archiveRefused = (status: number, headers: Record<string, string>): Probe[] => [
  { to: `GET ${keyed}`, status, init: { headers } },
  { to: `GET ${keyed}/{slug}`, status, at: `${keyed}/rain`, init: { headers } },
];

/** What visitors are told while the database is gone. */
export const archiveFails: Probe[] = [
  ...files.map((at) => ({ to: `GET ${documented(at)}`, status: 500, at })),
  { to: form, status: 500, init: submitted({ email: "form@example.com" }) },
  { to: contactForm, status: 500, init: submitted(message) },
];
