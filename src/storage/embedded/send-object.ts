import { sha256 } from "../../security/secrets";
import { unsigned } from "../s3/sigv4";
import { Refused } from "./responses";
import * as objects from "./objects";
import * as uploads from "./uploads";
import type { Target } from "./listings";

export async function sendObject({ folder, key, request, url }: Target): Promise<Response> {
  const object = await objects.find(folder, key);
  if (!object) throw new Refused(404, "NoSuchKey");
  const type = url.searchParams.get("response-content-type") ?? object.type;
  const headers = new Headers({
    "content-type": type,
    etag: `"${object.etag}"`,
    "last-modified": new Date(object.at).toUTCString(),
    "x-content-type-options": "nosniff",
  });
  // An uploaded page must not run here. Chromium shows no PDF in a sandbox, and never runs one as a page.
  if (!/^application\/pdf\s*(;|$)/i.test(type)) headers.set("content-security-policy", "sandbox");
  const disposition = url.searchParams.get("response-content-disposition");
  if (disposition) headers.set("content-disposition", Buffer.from(disposition).toString("latin1")); // byte by byte
  if (request.method === "GET") return new Response(Bun.file(objects.bytesOf(folder, object)), { headers });
  headers.set("content-length", String(object.size));
  return new Response(null, { headers });
}

/** Returns the body if its hash is the one that was signed. */
export async function signedText(request: Request): Promise<string> {
  const text = await request.text();
  const hash = request.headers.get("x-amz-content-sha256") ?? unsigned;
  if (hash !== unsigned && hash !== sha256(text)) throw new Refused(400, "XAmzContentSHA256Mismatch");
  return text;
}

/** Returns the parts named in the body of a CompleteMultipartUpload request. */
export const askedFor = (body: string): uploads.Asked[] =>
  [...body.matchAll(/<Part>([\s\S]*?)<\/Part>/g)].map(([, part = ""]) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: (/<ETag>([^<]*)</.exec(part)?.[1] ?? "").replace(/&quot;|&#34;|"/g, ""),
  }));
