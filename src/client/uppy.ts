import type { Client } from "./client";
import type { PostroomError } from "./request";

/** What whoever is signed in may upload. */
export interface UploadPolicy {
  /** Who it is, such as their ID: no one else can continue or cancel their uploads. */
  owner: string;
  maxBytes: number;
  /** Types, or all of a kind: "image/*". Without it, every type. */
  types?: string[];
  /** Where the files go; without it, outside any folder. */
  folderPath?: string;
  /** Kept with each file. */
  metadata?: Record<string, string>;
}

export interface UppyOptions {
  /** Who uploads; null if they may not. */
  authorize(request: Request): UploadPolicy | null | Promise<UploadPolicy | null>;
  /** Signs the uploads of each owner: a long random text that stays the same. */
  secret: string;
}

const mebibyte = 2 ** 20;

/** The option `getChunkSize` of Uppy: the service’s own parts. */
export const partSize = ({ size }: { size: number }): number =>
  Math.max(64 * mebibyte, Math.ceil(size / 8_000 / mebibyte) * mebibyte);

/**
 * Answers Uppy 6 (`@uppy/aws-s3`, `companionEndpoint`) for a route of your server and everything below it. The bytes go from
 * the browser to storage, and the API key stays on your server. @throws if the secret is shorter than 16 characters
 */
export function uppyHandler(
  client: Pick<Client, "uploads">,
  { authorize, secret }: UppyOptions,
): (request: Request) => Promise<Response> {
  if (secret.length < 16) throw new Error("The secret for Uppy must be a random text of 16 characters or more.");
  const signing = signatures(secret);
  return async (request) => {
    const policy = await authorize(request);
    if (!policy) return refusal(401, "Not signed in.");
    const { pathname, searchParams } = new URL(request.url);
    const [, rest] = pathname.split("/s3/multipart");
    if (rest === undefined) return refusal(404, "Not found.");
    const [id, step] = rest.split("/").slice(1);
    try {
      if (!id) return request.method === "POST" ? await create(client, request, policy, signing) : notAllowed();
      if (!(await signing.isOf(searchParams.get("key") ?? "", id, policy.owner))) return refusal(404, "Not found.");
      return await answer(client, request.method, id, step);
    } catch (error) {
      return failureOf(error);
    }
  };
}

type Uploads = Pick<Client, "uploads">;

/** Reserves space. Uppy sends the size in `meta`, where the page put it. */
async function create(
  { uploads }: Uploads,
  request: Request,
  { owner, maxBytes, types, folderPath, metadata }: UploadPolicy,
  { sign }: ReturnType<typeof signatures>,
): Promise<Response> {
  const { filename = "", type: mimeType = "", metadata: meta } = wantedIn(await request.text());
  const size = Number(meta?.size);
  if (!(size >= 1 && size <= maxBytes)) return refusal(413, `The file must have 1 to ${maxBytes} bytes.`);
  if (types && !types.some((allowed) => isOfType(mimeType, allowed)))
    return refusal(415, "Files of this type are not accepted.");
  const more = { ...(folderPath && { folderPath }), ...(metadata && { metadata }) };
  const { _meta } = await uploads.create({ filename, mimeType, size, multipart: true, ...more });
  const id = _meta.reservationId;
  return Response.json({ uploadId: id, key: await sign(id, owner) });
}

/** What Uppy says of a file. */
type Wanted = { filename?: string; type?: string; metadata?: { size?: unknown } };

function wantedIn(text: string): Wanted {
  try {
    const { filename, type, metadata } = JSON.parse(text);
    return { filename: String(filename), type: String(type), metadata };
  } catch {
    return {};
  }
}

const isOfType = (type: string, allowed: string) =>
  allowed.endsWith("/*") ? type.startsWith(allowed.slice(0, -1)) : type === allowed;

/** One of Companion’s calls about an upload: its parts, the URL of one, the end, or a cancellation. */
async function answer({ uploads }: Uploads, method: string, id: string, step: string | undefined): Promise<Response> {
  if (method === "DELETE" && !step) return Response.json(await uploads.abort(id));
  if (method === "POST" && step === "complete") return Response.json({ ...(await uploads.complete(id)), location: id });
  if (method !== "GET" || step === "complete") return notAllowed();
  if (step) return Response.json((await uploads.partUrls(id, [Number(step)])).parts[0] ?? null);
  const parts = (await uploads.get(id))?.parts ?? [];
  return Response.json(parts.map((number) => ({ PartNumber: number, ETag: "-" })));
}

/** Ties an upload to its owner: whoever has its ID alone cannot do anything with it. */
function signatures(secret: string) {
  const encoder = new TextEncoder();
  const key = crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
  const text = (id: string, owner: string) => encoder.encode(`${id} ${owner}`);
  return {
    async sign(id: string, owner: string): Promise<string> {
      const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", await key, text(id, owner)));
      return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    async isOf(signature: string, id: string, owner: string): Promise<boolean> {
      const bytes = Uint8Array.from(signature.match(/[0-9a-f]{2}/g) ?? [], (hex) => Number.parseInt(hex, 16));
      return crypto.subtle.verify("HMAC", await key, bytes, text(id, owner));
    },
  };
}

const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ message }, { status, headers });

const notAllowed = () => refusal(405, "Method not allowed.");

/** What the service said, for Uppy to show or to try again. */
function failureOf(error: unknown): Response {
  if (!isFromService(error)) throw error;
  const { details, message, status } = error;
  const said = details.map((detail) => `${detail.field} ${detail.message}`).join(", ") || message;
  const wait = "retryAfter" in error && error.retryAfter ? { "retry-after": String(error.retryAfter) } : {};
  return refusal(status === 401 || status === 403 || !status ? 502 : status, said, wait);
}

const isFromService = (error: unknown): error is PostroomError =>
  error instanceof Error && error.name === "PostroomError";
