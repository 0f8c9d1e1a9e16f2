import * as http from "node:http";
import * as https from "node:https";
import { Client } from "minio";
import { timeout } from "./errors";

/** The bucket of a storage node, and the keys to it. */
export type Target = {
  /** The URL that the service calls. */
  endpoint: string;
  /** The URL on which presigned URLs are based. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** A missing bucket then means that the disk is missing, so no other is created in its place. */
  holdsFiles?: boolean | undefined;
};

type Asked = { method?: string | undefined; path?: string | null | undefined };

/** Returns the name of a request in the S3 reference, such as "ListParts". */
function operationOf({ method = "GET", path }: Asked): string {
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

export type Credentials = { accessKey: string; secretKey: string; region: string };

/** Called for every call to a node, with the milliseconds until its response began or the call failed. */
export type CallListener = (operation: string, milliseconds: number) => void;

export type NodeClient = Client;

/** What the system says of a connection that the node closed; EPIPE if it has also refused a sign of life since. */
const closed = new Set<unknown>(["ECONNRESET", "EPIPE"]);

/** Failures of calls over connections that were kept open, which the node closed at that moment. */
const closedMeanwhile = new WeakSet<object>();

/**
 * Makes a call again if the connection for it turned out to be closed: nodes close those that are idle, and a process that
 * was busy, with the check of a large copy say, learns of it only by the failure. Such a failure uses up its connection.
 */
class RepeatingClient extends Client {
  override async makeRequestAsync(...args: Parameters<Client["makeRequestAsync"]>) {
    for (;;)
      try {
        return await super.makeRequestAsync(...args);
      } catch (error) {
        if (!(error instanceof Error && closedMeanwhile.has(error))) throw error;
      }
  }
}

/** @param deadline milliseconds that one call may take */
export function clientFor(
  endpoint: string,
  { accessKey, secretKey, region }: Credentials,
  deadline: number,
  onCall?: CallListener,
): NodeClient {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === "https:";
  return new RepeatingClient({
    endPoint: hostname.replace(/^\[|\]$/g, ""), // the client adds the brackets of IPv6 itself
    port: Number(port) || (useSSL ? 443 : 80),
    useSSL,
    accessKey,
    secretKey,
    region, // otherwise the client asks the node first, even to sign
    pathStyle: true,
    transport: within(deadline, useSSL ? https : http, onCall),
    retryOptions: { disableRetry: true }, // we retry ourselves, knowing what is repeated
  });
}

/** The client has no time limit of its own, and Bun ignores an agent's. */
const within = (deadline: number, { request }: Pick<typeof http, "request">, onCall: CallListener = () => {}) => ({
  request: ((options: http.RequestOptions, answered: (response: http.IncomingMessage) => void) => {
    const startedAt = performance.now();
    const recordCall = () => onCall(operationOf(options), performance.now() - startedAt);
    const signal = AbortSignal.timeout(deadline);
    const call = request(options, (response) => {
      recordCall();
      endBy(signal, response);
      answered(legible(response));
    });
    endBy(signal, call);
    return call.once("error", (error) => {
      recordCall();
      if (call.reusedSocket && "code" in error && closed.has(error.code)) closedMeanwhile.add(error);
    });
  }) as typeof request,
});

/** Not by the option `signal`: with it, a response that began fails as if the node had closed the connection. */
function endBy(signal: AbortSignal, stream: http.ClientRequest | http.IncomingMessage): void {
  const end = () => void stream.destroy(timeout());
  signal.addEventListener("abort", end);
  stream.once("close", () => signal.removeEventListener("abort", end));
}

/** Statuses that the client would retry; it then discards the body, and with it the error code. */
const repeatable = [408, 429, 499, 500, 502, 503, 504, 520];

/** Returns the same response under a status whose body the client reads. */
function legible(response: http.IncomingMessage): http.IncomingMessage {
  if (repeatable.includes(response.statusCode ?? 0)) response.statusCode = 599;
  return response;
}
