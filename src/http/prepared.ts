import { createHash } from "node:crypto";
import type { JSX } from "../../views/jsx/jsx-runtime";
import { type Coding, codingFor, minBytes } from "./compression";
import { documentOf, uncached } from "./response";

/** A response that can be sent repeatedly for as long as it is current. */
export type Prepared = {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  headers: Headers;
  until: Date | undefined;
  /** The same response in the codings that clients have accepted so far. */
  coded?: Record<string, Prepared>;
};

/** Returns the strong ETag of these bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;

/** Returns the response, or 304 if the client already has it. The request's cache directives are ignored. */
export function conditional(request: Request, { body, etag, headers }: Prepared): Response {
  const condition = request.headers.get("if-none-match");
  if (condition === null || !names(condition, etag)) return new Response(body, { headers });
  return notModified(headers);
}

const maxCodedBytes = 128 * 1024; // compressing takes a millisecond or two, during which nobody else is served

/** Returns the response in the best coding that the client accepts. Each is made once; a larger response is in none. */
export function codedFor(request: Request, prepared: Prepared): Prepared {
  if (prepared.body.length < minBytes || prepared.body.length > maxCodedBytes) return prepared;
  const coding = codingFor(request);
  if (!coding) return prepared;
  prepared.coded ??= {};
  return (prepared.coded[coding.name] ??= inCoding(prepared, coding.name, coding.encodeNow(prepared.body)));
}

/** RFC 9110, 13.1.2: a list or `*`, compared weakly. */
const names = (condition: string, etag: string) =>
  condition.split(",").some((each) => ["*", etag].includes(each.trim().replace(/^W\//, "")));

/** Without a body, there is nothing to interpret or to decompress. */
function notModified(headers: Headers): Response {
  const response = new Response(null, { status: 304, headers });
  response.headers.delete("content-type");
  response.headers.delete("content-encoding");
  return response;
}

/** A file or page that is the same for everyone. Each compressed form is made once, when a client first accepts it. */
export class PreparedFile {
  private readonly plain: Prepared;
  private readonly coded = new Map<string, Promise<Prepared>>();

  constructor(
    text: string,
    headers: Record<string, string>,
    private readonly status = 200,
  ) {
    const body = Buffer.from(text);
    const etag = etagOf(body);
    this.plain = { body, etag, headers: new Headers({ ...headers, vary: "Accept-Encoding", etag }), until: undefined };
  }

  async respond(request: Request): Promise<Response> {
    const coding = this.plain.body.length < minBytes ? undefined : codingFor(request);
    const form = coding ? await this.in(coding) : this.plain;
    if (this.status !== 200) return new Response(form.body, { status: this.status, headers: form.headers });
    return unmodified(request, form) ?? conditional(request, form);
  }

  private in(coding: Coding): Promise<Prepared> {
    const form = this.coded.get(coding.name) ?? compress(this.plain, coding);
    this.coded.set(coding.name, form);
    return form;
  }
}

const maxPages = 50; // the most recent

/**
 * Pages that strangers may request at any rate, and that are the same for everyone. Each is made once under its name and
 * status.
 */
export function keptPages(headers: Record<string, string> = {}) {
  const kept = new Map<string, PreparedFile>();
  return (request: Request, name: string, status: number, view: () => JSX.Element): Promise<Response> => {
    const key = `${status} ${name}`;
    const page = kept.get(key) ?? new PreparedFile(documentOf(view()), { ...uncached, ...headers }, status);
    kept.delete(key);
    kept.set(key, page);
    const [oldest] = kept.keys();
    if (kept.size > maxPages && oldest !== undefined) kept.delete(oldest);
    return page.respond(request);
  };
}

const compress = async (plain: Prepared, { name, encode }: Coding): Promise<Prepared> =>
  inCoding(plain, name, await encode(plain.body));

/** The same response with other bytes, and so another ETag (RFC 9110, 8.8.3.3). */
function inCoding({ etag, headers, until }: Prepared, name: string, body: Prepared["body"]): Prepared {
  const other = etag.replace(/"$/, `-${name}"`);
  const own = new Headers(headers);
  own.set("content-encoding", name);
  own.set("etag", other);
  return { body, etag: other, headers: own, until };
}

/** RFC 9110, 13.1.3: only for clients that have no ETag. */
function unmodified({ headers }: Request, { headers: own }: Prepared): Response | undefined {
  const since = Date.parse(headers.get("if-modified-since") ?? "");
  if (headers.has("if-none-match") || !(since >= Date.parse(own.get("last-modified") ?? ""))) return undefined;
  return notModified(own);
}
