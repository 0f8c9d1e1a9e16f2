import { elements, Refused, xml } from "./responses";
import * as objects from "./objects";
import * as uploads from "./uploads";
import type { Waits } from "./receive";
import { sha256 } from "../../security/secrets";
import { unsigned } from "../s3/presign";
import { decodePath, region } from "./authentication";

async function listUploads(folder: string, bucket: string, prefix: string) {
  const items = (await uploads.list(folder, prefix)).map(
    ({ key, id, at }) => `<Upload>${elements({ Key: key, UploadId: id, Initiated: at })}</Upload>`,
  );
  return xml(
    `<ListMultipartUploadsResult>${elements({ Bucket: bucket, IsTruncated: false })}${items.join("")}</ListMultipartUploadsResult>`,
  );
}

/** The token of the next page is the last key of this one. */
async function listObjects(folder: string, bucket: string, query: URLSearchParams) {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const maxKeys = Math.min(1_000, Number(query.get("max-keys") ?? 1_000));
  const rest = (await objects.list(folder, prefix)).filter(({ key }) => key > after);
  const page = rest.slice(0, maxKeys);
  const isTruncated = rest.length > page.length;
  const items = page.map(
    ({ key, size, etag, at }) =>
      `<Contents>${elements({ Key: encodeURIComponent(key), LastModified: at, ETag: `"${etag}"`, Size: size })}</Contents>`,
  );
  const head = elements({
    Name: bucket,
    Prefix: prefix,
    KeyCount: page.length,
    EncodingType: "url",
    IsTruncated: isTruncated,
    ...(isTruncated && { NextContinuationToken: page.at(-1)?.key ?? "" }),
  });
  return xml(`<ListBucketResult>${head}${items.join("")}</ListBucketResult>`);
}

async function listParts(target: Target, upload: uploads.Upload) {
  const after = Number(target.url.searchParams.get("part-number-marker") ?? 0);
  const rest = (await uploads.parts(upload)).filter(({ number }) => number > after);
  const page = rest.slice(0, 1_000);
  const items = page.map(
    ({ number, at, etag, size, checksums = {} }) =>
      `<Part>${elements({ PartNumber: number, LastModified: at, ETag: `"${etag}"`, Size: size, ...checksumElements(checksums) })}</Part>`,
  );
  const head = named(target, {
    UploadId: upload.id,
    NextPartNumberMarker: page.at(-1)?.number ?? after,
    IsTruncated: rest.length > page.length,
  });
  return xml(`<ListPartsResult>${head}${items.join("")}</ListPartsResult>`);
}

/** `{ sha256 }` is the element ChecksumSHA256. */
const checksumElements = (checksums: Record<string, string>) =>
  Object.fromEntries(Object.entries(checksums).map(([name, value]) => [`Checksum${name.toUpperCase()}`, value]));

type Means = { minPartBytes: number; waits: Waits };
type Target = Means & { folder: string; bucket: string; key: string; request: Request; url: URL };

const named = ({ bucket, key }: Target, more: Record<string, string | number | boolean>) =>
  elements({ Bucket: bucket, Key: key, ...more });

async function sendObject({ folder, key, request, url }: Target): Promise<Response> {
  const object = await objects.find(folder, key);
  if (!object) throw new Refused(404, "NoSuchKey");
  const etag = `"${object.etag}"`;
  const asked = (name: string) => request.headers.get(name);
  if (asked("if-match") && !names(asked("if-match"), etag)) throw new Refused(412, "PreconditionFailed");
  if (names(asked("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } });
  const type = url.searchParams.get("response-content-type") ?? object.type;
  const headers = new Headers({
    "accept-ranges": "bytes",
    "content-type": type,
    etag,
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

/** Whether a condition of the client has this ETag among others, or any. */
const names = (condition: string | null, etag: string) =>
  condition?.split(",").some((each) => ["*", etag].includes(each.trim().replace(/^W\//, ""))) ?? false;

/** Returns the body if its hash is the one that was signed. */
async function signedText(request: Request): Promise<string> {
  const text = await request.text();
  const hash = request.headers.get("x-amz-content-sha256") ?? unsigned;
  if (hash !== unsigned && hash !== sha256(text)) throw new Refused(400, "XAmzContentSHA256Mismatch");
  return text;
}

/** Returns the parts named in the body of a CompleteMultipartUpload request. */
const askedFor = (body: string): uploads.Asked[] =>
  [...body.matchAll(/<Part>([\s\S]*?)<\/Part>/g)].map(([, part = ""]) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: (/<ETag>([^<]*)</.exec(part)?.[1] ?? "").replace(/&quot;|&#34;|"/g, ""),
  }));

async function onUpload(target: Target, upload: uploads.Upload): Promise<Response> {
  const { folder, request, url, minPartBytes } = target;
  switch (request.method) {
    case "PUT": {
      const part = Number(url.searchParams.get("partNumber"));
      const { etag, checksums } = await uploads.putPart(upload, part, request, target.waits);
      const checksumHeaders = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value]);
      return new Response(null, { headers: { etag: `"${etag}"`, ...Object.fromEntries(checksumHeaders) } });
    }
    case "GET":
      return listParts(target, upload);
    case "POST": {
      const etag = await uploads.complete(folder, upload, askedFor(await signedText(request)), minPartBytes);
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

/** Responds to an authenticated request: the subset of S3 that uploads need. @throws Refused */
export function answer(root: string, request: Request, url: URL, { minPartBytes, waits }: Means): Promise<Response> {
  const [, bucket = "", ...rest] = decodePath(url.pathname).split("/");
  const folder = objects.folderOf(root, bucket);
  const key = rest.join("/");
  return key
    ? onObject({ folder, bucket, key, request, url, minPartBytes, waits })
    : onBucket(folder, bucket, request, url);
}

async function onBucket(folder: string, bucket: string, { method }: Request, { searchParams: query, search }: URL) {
  const exists = await objects.exists(folder);
  if (method === "PUT" && !search) {
    if (exists) throw new Refused(409, "BucketAlreadyOwnedByYou");
    await objects.create(folder);
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
  if (!(await objects.exists(folder))) throw new Refused(404, "NoSuchBucket");
  const { method } = request;
  const id = url.searchParams.get("uploadId");
  if (id !== null) return onUpload(target, await uploads.find(folder, key, id));
  if (method === "POST" && url.searchParams.has("uploads")) return startUpload(target);
  if (method === "GET" || method === "HEAD") return sendObject(target);
  if (method !== "DELETE") throw new Refused(501, "NotImplemented");
  await objects.remove(folder, key);
  return new Response(null, { status: 204 });
}
