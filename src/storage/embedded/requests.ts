import { sha256 } from "../../security/secrets";
import { unsigned } from "../s3/sigv4";
import { elements, Refused, xml } from "./responses";
import { decodePath, region } from "./authentication";
import * as buckets from "./buckets";
import * as objects from "./objects";
import * as uploads from "./uploads";
import { listObjects, listUploads, listParts, type Target, named } from "./listings";

/** Answers one authenticated request: the part of S3 that an upload needs. @throws Refused */
export function answer(root: string, request: Request, url: URL): Promise<Response> {
  const [, bucket = "", ...rest] = decodePath(url.pathname).split("/");
  const folder = buckets.folderOf(root, bucket);
  const key = rest.join("/");
  return key ? onObject({ folder, bucket, key, request, url }) : onBucket(folder, bucket, request, url);
}

async function onBucket(folder: string, bucket: string, { method }: Request, { searchParams: query, search }: URL) {
  const exists = await buckets.exists(folder);
  if (method === "PUT" && !search) {
    if (exists) throw new Refused(409, "BucketAlreadyOwnedByYou");
    await buckets.create(folder);
    return new Response(null);
  }
  if (!exists) throw new Refused(404, "NoSuchBucket");
  if (method === "HEAD") return new Response(null);
  if (method === "GET" && query.has("location")) return xml(elements({ LocationConstraint: region }));
  if (method === "GET" && query.has("uploads")) return listUploads(folder, bucket, query.get("prefix") ?? "");
  if (method === "GET" && query.get("list-type") === "2") return listObjects(folder, bucket, query);
  throw new Refused(501, "NotImplemented");
}

async function onObject(target: Target): Promise<Response> {
  const { folder, key, request, url } = target;
  if (!(await buckets.exists(folder))) throw new Refused(404, "NoSuchBucket");
  const { method } = request;
  const id = url.searchParams.get("uploadId");
  if (id !== null) return onUpload(target, await uploads.find(folder, key, id));
  if (method === "POST" && url.searchParams.has("uploads")) return startUpload(target);
  if (method === "GET" || method === "HEAD") return sendObject(target);
  if (method !== "DELETE") throw new Refused(501, "NotImplemented");
  await objects.remove(folder, key);
  return new Response(null, { status: 204 });
}

async function onUpload(target: Target, upload: uploads.Upload): Promise<Response> {
  const { folder, request, url } = target;
  switch (request.method) {
    case "PUT": {
      const { etag, checksums } = await uploads.putPart(upload, Number(url.searchParams.get("partNumber")), request);
      const checksumHeaders = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value]);
      return new Response(null, { headers: { etag: `"${etag}"`, ...Object.fromEntries(checksumHeaders) } });
    }
    case "GET":
      return listParts(target, upload);
    case "POST": {
      const etag = await uploads.complete(folder, upload, askedFor(await signedText(request)));
      return xml(
        `<CompleteMultipartUploadResult>${named(target, { Location: url.origin + url.pathname, ETag: `"${etag}"` })}</CompleteMultipartUploadResult>`,
      );
    }
    case "DELETE":
      await uploads.abort(folder, upload);
      return new Response(null, { status: 204 });
    default:
      throw new Refused(501, "NotImplemented");
  }
}

async function startUpload(target: Target) {
  const type = target.request.headers.get("content-type") ?? "application/octet-stream";
  const UploadId = await uploads.start(target.folder, target.key, type);
  return xml(`<InitiateMultipartUploadResult>${named(target, { UploadId })}</InitiateMultipartUploadResult>`);
}

async function sendObject({ folder, key, request, url }: Target): Promise<Response> {
  const object = await objects.find(folder, key);
  if (!object) throw new Refused(404, "NoSuchKey");
  const type = url.searchParams.get("response-content-type") ?? object.type;
  const headers = new Headers({
    "content-type": type,
    etag: `"${object.etag}"`,
    "last-modified": new Date(object.at).toUTCString(),
    "x-content-type-options": "nosniff",
  });
  // A page that somebody uploaded must not run here. Chromium shows no PDF in a sandbox, and runs none as a page.
  if (!/^application\/pdf\s*(;|$)/i.test(type)) headers.set("content-security-policy", "sandbox");
  const disposition = url.searchParams.get("response-content-disposition");
  if (disposition) headers.set("content-disposition", Buffer.from(disposition).toString("latin1")); // byte by byte
  if (request.method === "GET") return new Response(Bun.file(objects.bytesOf(folder, object)), { headers });
  headers.set("content-length", String(object.size));
  return new Response(null, { headers });
}

/** The body, when it is the one whose hash was signed. */
async function signedText(request: Request): Promise<string> {
  const text = await request.text();
  const hash = request.headers.get("x-amz-content-sha256") ?? unsigned;
  if (hash !== unsigned && hash !== sha256(text)) throw new Refused(400, "XAmzContentSHA256Mismatch");
  return text;
}

/** The parts named in the body of a complete request. */
const askedFor = (body: string): uploads.Asked[] =>
  [...body.matchAll(/<Part>([\s\S]*?)<\/Part>/g)].map(([, part = ""]) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: (/<ETag>([^<]*)</.exec(part)?.[1] ?? "").replace(/&quot;|&#34;|"/g, ""),
  }));
