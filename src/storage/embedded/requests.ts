import { elements, Refused, xml } from "./responses";
import { decodePath, region } from "./authentication";
import * as buckets from "./buckets";
import * as objects from "./objects";
import * as uploads from "./uploads";
import { listObjects, listUploads, type Target } from "./listings";
import { onUpload, startUpload } from "./upload-requests";
import { sendObject } from "./send-object";

/** Responds to an authenticated request: the subset of S3 that uploads need. @throws Refused */
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
