import type { NodeClient } from "../s3/client";

type StoredObject = { key: string; size: number; at: Date };
type OpenUpload = { key: string; uploadId: string; at: Date };

/** The contents of a bucket under a prefix, page by page, so that memory use does not depend on their number. */
export const inventoryOf = (client: NodeClient, bucket: string) => ({
  /** Yields every object, in byte order of the keys. */
  async *objects(prefix: string): AsyncGenerator<StoredObject> {
    for (let token = "", isMore = true; isMore;) {
      const page = await client.listObjectsV2Query(bucket, prefix, token, "", 1_000, "");
      for (const { name, size, lastModified } of page.objects)
        if (name) yield { key: name, size, at: new Date(lastModified ?? 0) };
      isMore = page.isTruncated && page.nextContinuationToken !== "";
      token = page.nextContinuationToken;
    }
  },
  /** Yields every open multipart upload that the server reports. MinIO reports only recent ones. */
  async *openUploads(prefix: string): AsyncGenerator<OpenUpload> {
    for (let after = "", isMore = true; isMore;) {
      const page = await client.listIncompleteUploadsQuery(bucket, prefix, after, "", "");
      for (const { key, uploadId, initiated } of page.uploads) yield { key, uploadId: String(uploadId), at: initiated };
      isMore = page.isTruncated && page.nextKeyMarker !== "";
      after = page.nextKeyMarker;
    }
  },
});
