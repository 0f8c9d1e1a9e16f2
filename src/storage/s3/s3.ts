import { type CallListener, clientFor, type NodeClient, type Target } from "./client";
import { inventoryOf, objectsOf, withoutQuotes } from "./objects";
import { reportedFree, type ReportedFree } from "./free-space";
import { multipartOf } from "./multipart";
import { codeOf, isBucketMissing } from "./errors";
import { createHash } from "node:crypto";

export type S3 = ReturnType<typeof openS3>;

/**
 * One storage node, through the `minio` client. Every call has a deadline, because a node that accepts a connection and
 * never responds would hold it for ever. "Gone" is an outcome, not an exception; every other failure is thrown.
 *
 * @param deadline milliseconds
 */
export function openS3(target: Target, deadline: number, onCall?: CallListener) {
  const client = clientFor(target.endpoint, target, deadline, onCall);
  const slowClient = () => clientFor(target.endpoint, target, 3 * deadline, onCall);
  const ensureBucket = () => makeMissingBucket(client, target);
  const objects = objectsOf(client, target);
  const multipart = multipartOf(client, target, ensureBucket, slowClient);
  const provider = { ...objects, ...multipart };
  const inventory = inventoryOf(client, target.bucket);
  const abortOthers = othersOf(inventory, provider);
  return {
    ...inventory,
    ...corsOf(client, target.bucket),
    ...provider,
    /** Milliseconds that one call may take. */
    deadline,
    ensureBucket,
    /**
     * Stores bytes that the service itself made: as an upload of one part, which every server is known to do, looked at
     * afterwards. Aborts what was left of earlier attempts, at the end of which the server did not answer.
     *
     * @throws if they are not there
     */
    async put(key: string, bytes: Uint8Array<ArrayBuffer>, mimeType: string): Promise<void> {
      const size = bytes.length;
      const uploadId = await multipart.initiate(key, mimeType, "made");
      try {
        const url = multipart.partUrl(key, uploadId, { part: 1, size }, target.endpoint);
        const signal = AbortSignal.timeout(3 * deadline);
        const { ok, status, headers } = await fetch(url, { method: "PUT", body: bytes, redirect: "manual", signal });
        const etag = withoutQuotes(headers.get("etag") ?? "");
        if (!ok || !etag) throw new Error(`The node did not take the picture (${status})`);
        await multipart.complete(key, uploadId, [{ part: 1, size, etag }]);
      } catch (error) {
        await multipart.abort(key, uploadId).catch(() => undefined); // it may not answer at all
        throw error;
      }
      if ((await objects.stat(key))?.size !== size) throw new Error("The node did not keep the picture");
      await abortOthers(key, uploadId).catch(() => undefined); // the picture is there anyway
    },
    /** Bytes that the server reports as free; undefined if it does not report them. */
    reportedFree: (): Promise<ReportedFree | undefined> => reportedFree(client, target, deadline),
    /** Aborts all uploads of that key but this one: a process may have died before its row named another. */
    abortOthers,
    /** Leaves nothing of that key: no upload, whether or not its ID is known, and no object. */
    forget: (key: string, uploadId?: string): Promise<void> =>
      removeAll(provider, key, uploadId).catch((error) => {
        if (!isBucketMissing(error)) throw error; // without the bucket, nothing is left either
      }),
  };
}

/**
 * Uses a call whose error response has a body: that of HEAD has none, so all problems with the keys would look the
 * same.
 */
async function makeMissingBucket(client: ReturnType<typeof clientFor>, target: Target): Promise<void> {
  const { bucket, region, holdsFiles } = target;
  try {
    await client.listObjectsV2Query(bucket, "probe/", "", "", 1, "");
  } catch (error) {
    if (!isBucketMissing(error) || holdsFiles) throw error;
    await client.makeBucket(bucket, region);
  }
}

type Provider = ReturnType<typeof objectsOf> & ReturnType<typeof multipartOf>;
type Inventory = ReturnType<typeof inventoryOf>;

const othersOf = (inventory: Inventory, provider: Provider) =>
  async function abortOthers(key: string, uploadId: string): Promise<void> {
    for await (const other of inventory.openUploads(key))
      if (other.key === key && other.uploadId !== uploadId) await provider.abort(key, other.uploadId);
  };

async function removeAll(provider: Provider, key: string, uploadId?: string): Promise<void> {
  if (uploadId) await provider.abort(key, uploadId);
  for (let tries = 0; ; tries++) {
    const open = await provider.findUploadId(key);
    if (!open) break;
    if (tries === 5) throw new Error("The provider did not release the upload");
    await provider.abort(key, open);
  }
  if (await provider.stat(key)) await provider.remove(key);
}

const id = "postroom";
const maxRulesBytes = 1024 * 1024; // bytes of rules; S3 allows 64 KB

/**
 * The bucket's rules for pages of other origins. MinIO has one setting for all buckets instead, and responds with
 * NotImplemented.
 */
const corsOf = (client: NodeClient, bucket: string) => ({
  /** Returns the origins in our own rule. @throws like `allowOrigins` */
  async allowedOrigins(): Promise<string[]> {
    const ours = (await rulesOf(client, bucket)).filter(isOurs);
    return ours.flatMap((rule) => [...rule.matchAll(/<AllowedOrigin>([^<]*)</g)].map(([, origin = ""]) => origin));
  },
  /**
   * Lets pages of these origins upload and download. Other rules are kept. @throws NotImplemented, or if the rules
   * cannot be read
   */
  async allowOrigins(origins: Iterable<string>): Promise<void> {
    const others = (await rulesOf(client, bucket)).filter((rule) => !isOurs(rule));
    const xml = `<CORSConfiguration>${[...others, ruleFor(origins)].join("")}</CORSConfiguration>`;
    const headers = { "content-type": "application/xml", "content-md5": md5(xml) };
    await client.makeRequestAsyncOmit({ method: "PUT", bucketName: bucket, query: "cors", headers }, xml, [200, 204]);
  },
});

const isOurs = (rule: string) => rule.includes(`<ID>${id}</ID>`);

async function rulesOf(client: NodeClient, bucket: string): Promise<string[]> {
  try {
    const answer = await client.makeRequestAsync({ method: "GET", bucketName: bucket, query: "cors" });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer) {
      chunks.push(Buffer.from(chunk));
      if ((size += chunk.length) > maxRulesBytes) throw new Error("The CORS configuration has no rules");
    }
    const xml = Buffer.concat(chunks).toString();
    const rules = xml.match(/<CORSRule>[\s\S]*?<\/CORSRule>/g) ?? [];
    // A rule that could not be read would be lost, so nothing is written then
    if (rules.length !== (xml.match(/CORSRule\s*>/g)?.length ?? 0) / 2)
      throw new Error("The CORS configuration has rules Postroom cannot parse");
    return rules;
  } catch (error) {
    if (["NoSuchCORSConfiguration", "NotFound"].includes(codeOf(error))) return [];
    throw error;
  }
}

const ruleFor = (origins: Iterable<string>) =>
  [
    `<CORSRule><ID>${id}</ID>`,
    ...[...origins].map((origin) => `<AllowedOrigin>${origin}</AllowedOrigin>`),
    ...["GET", "HEAD", "PUT"].map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
    "<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule>",
  ].join("");

const md5 = (text: string) => createHash("md5").update(text).digest("base64");
