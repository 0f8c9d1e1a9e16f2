import type { NodeClient } from "../s3/client";

type StoredObject = { key: string; size: number; at: Date };
type OpenUpload = { key: string; uploadId: string; at: Date };

/** What a bucket holds under a prefix, page by page: memory stays flat however much it is. */
export const inventoryOf = (client: NodeClient, bucket: string) => ({
  /** Every object, in the order of the bytes of their keys. */
  async *objects(prefix: string): AsyncGenerator<StoredObject> {
    for (let token = "", isMore = true; isMore;) {
      const page = await client.listObjectsV2Query(bucket, prefix, token, "", 1_000, "");
      for (const { name, size, lastModified } of page.objects)
        if (name) yield { key: name, size, at: new Date(lastModified ?? 0) };
      isMore = page.isTruncated && page.nextContinuationToken !== "";
      token = page.nextContinuationToken;
    }
  },
  /** Every multipart upload that is open, as far as the server tells: MinIO tells only of those it opened lately. */
  async *openUploads(prefix: string): AsyncGenerator<OpenUpload> {
    for (let after = "", isMore = true; isMore;) {
      const page = await client.listIncompleteUploadsQuery(bucket, prefix, after, "", "");
      for (const { key, uploadId, initiated } of page.uploads) yield { key, uploadId: String(uploadId), at: initiated };
      isMore = page.isTruncated && page.nextKeyMarker !== "";
      after = page.nextKeyMarker;
    }
  },
});
