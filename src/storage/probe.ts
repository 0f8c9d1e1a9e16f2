import type { StorageNode } from "../../db/storage-nodes";
import type { S3 } from "./s3";

export type Probed =
  { ok: true; milliseconds: number; signedLength: boolean; skewSeconds: number } | { ok: false; error: string };

/** An upload of five bytes from beginning to end, and one of six that the node should refuse. Leaves nothing behind. */
export async function probe({ endpoint }: StorageNode, s3: S3): Promise<Probed> {
  const began = performance.now();
  const key = `probe/${crypto.randomUUID()}`;
  await s3.ensureBucket();
  const upload = await s3.initiate(key, "text/plain", "probe");
  try {
    const url = s3.uploadUrl(key, upload, 5, endpoint);
    const tooLong = await put(url, "123456");
    const right = await put(url, "12345");
    if (right.status !== 200) return { ok: false, error: `a presigned PUT is answered ${right.status}` };
    const parts = (await s3.listParts(key, upload)) ?? [];
    await s3.complete(key, upload, parts);
    if ((await s3.stat(key))?.size !== 5) return { ok: false, error: "the object is not what was sent" };
    return {
      ok: true,
      milliseconds: Math.round(performance.now() - began),
      signedLength: tooLong.status === 403,
      skewSeconds: skew(right.headers.get("date")),
    };
  } finally {
    await s3.abort(key, upload).catch(() => undefined); // closed already, when all went well
    await s3.remove(key).catch(() => undefined);
  }
}

const put = (url: string, body: string) => fetch(url, { method: "PUT", body, signal: AbortSignal.timeout(10_000) });

/** How far the provider's clock is ahead of ours: signatures die of fifteen minutes. */
const skew = (date: string | null) => (date ? Math.round((Date.parse(date) - Date.now()) / 1000) : 0);
