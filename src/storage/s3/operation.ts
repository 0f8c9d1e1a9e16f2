type Asked = { method?: string | undefined; path?: string | null | undefined };

/** Returns the name of a request in the S3 reference, such as "ListParts". */
export function operationOf({ method = "GET", path }: Asked): string {
  const { pathname, searchParams: asks } = new URL(path ?? "/", "http://node.invalid");
  const hasKey = /^\/[^/]+\/./.test(pathname);
  if (!hasKey) return ofBucket(method, asks);
  if (asks.has("uploads")) return "CreateMultipartUpload";
  return (asks.has("uploadId") ? ofUpload : ofObject)[method] ?? method;
}

function ofBucket(method: string, asks: URLSearchParams): string {
  if (asks.has("uploads")) return "ListMultipartUploads";
  if (asks.has("list-type")) return "ListObjectsV2";
  if (asks.has("cors")) return method === "PUT" ? "PutBucketCors" : "GetBucketCors";
  return { HEAD: "HeadBucket", PUT: "CreateBucket" }[method] ?? method;
}

const ofUpload: Record<string, string> = {
  GET: "ListParts",
  PUT: "UploadPart",
  POST: "CompleteMultipartUpload",
  DELETE: "AbortMultipartUpload",
};
const ofObject: Record<string, string> = { GET: "GetObject", HEAD: "HeadObject", DELETE: "DeleteObject" };
