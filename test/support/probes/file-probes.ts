import * as posts from "../../../db/posts/posts";
import { store } from "../storage/stored-files";
import type { testService } from "../service";
import type { Probe } from "./probe";

type Service = Awaited<ReturnType<typeof testService>>;
type Headers = Record<string, string>;

const area = "/api/v1/storage/files";
const calls = [
  ["GET", ""],
  ["GET", "/{id}"],
  ["GET", "/{id}/download"],
  ["POST", "/{id}/link"],
  ["PATCH", "/{id}"],
  ["DELETE", "/{id}"],
] as const;

const call = (method: string, path: string, status: number, id: string, headers: Headers = {}): Probe => ({
  to: `${method} ${area}${path}`,
  status,
  at: (area + path).replace("{id}", id),
  init: { method, headers, ...(method === "PATCH" && withBody({}, headers)) },
});

const withBody = (body: object, headers: Headers) => ({
  body: JSON.stringify(body),
  headers: { ...headers, "content-type": "application/json" },
});

/** The calls on files, with a key that is used up, or without a database. */
export const filesRefused = (status: number, headers: Headers): Probe[] =>
  calls.map(([method, path]) => call(method, path, status, "x", headers));

const media = (status: number, id: string): Probe => ({
  to: "GET /media/{id}/{filename}",
  status,
  at: `/media/${id}/harbour.jpg`,
});

/** What strangers are told while the database is gone. */
export const mediaFails = media(500, "x");

/** Every status of the calls on files. */
export async function storedFiles(service: Service): Promise<Probe[]> {
  const { db, key, now } = service;
  const headers = await key();
  const [free = "", used = ""] = await store(service, {}, {});
  const cover = { coverImage: `/media/${used}/harbour.jpg`, published: true, publishedAt: now() };
  await posts.save(db, { slug: "harbour", title: "Harbour", ...cover }, now());
  return [
    ...filesRefused(401, {}),
    ...filesRefused(404, headers).slice(1),
    call("GET", "", 200, "", headers),
    { ...call("GET", "", 400, "", headers), at: `${area}?limit=0` },
    call("GET", "/{id}", 200, free, headers),
    call("GET", "/{id}/download", 302, free, headers),
    call("PATCH", "/{id}", 200, free, headers),
    { ...call("PATCH", "/{id}", 400, free), init: { method: "PATCH", ...withBody({ filename: "" }, headers) } },
    call("POST", "/{id}/link", 200, free, headers),
    { ...call("POST", "/{id}/link", 400, free), init: { method: "POST", ...withBody({ expiresIn: 1 }, headers) } },
    call("DELETE", "/{id}", 200, free, headers),
    call("DELETE", "/{id}", 409, used, headers),
    media(302, used),
    media(404, free),
  ];
}
