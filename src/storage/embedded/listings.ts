import { elements, xml } from "./responses";
import * as objects from "./objects";
import * as uploads from "./uploads";

export async function listUploads(folder: string, bucket: string, prefix: string) {
  const items = (await uploads.list(folder, prefix)).map(
    ({ key, id, at }) => `<Upload>${elements({ Key: key, UploadId: id, Initiated: at })}</Upload>`,
  );
  return xml(
    `<ListMultipartUploadsResult>${elements({ Bucket: bucket, IsTruncated: false })}${items.join("")}</ListMultipartUploadsResult>`,
  );
}

/** The token of the next page is the last key of this one. */
export async function listObjects(folder: string, bucket: string, query: URLSearchParams) {
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

export async function listParts(target: Target, upload: uploads.Upload) {
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

export type Target = { folder: string; bucket: string; key: string; request: Request; url: URL };

export const named = ({ bucket, key }: Target, more: Record<string, string | number | boolean>) =>
  elements({ Bucket: bucket, Key: key, ...more });
