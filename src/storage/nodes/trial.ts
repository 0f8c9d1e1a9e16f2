import { codeOf, meansFull } from "../s3/errors";
import type { offer as sendOffer, Offered } from "../s3/raw-put";
import type { S3 } from "../s3/s3";

/** Loaded on first use, because it loads TLS. */
const offer: typeof sendOffer = async (url, options) => (await import("../s3/raw-put")).offer(url, options);

const mebibyte = 2 ** 20;
const steps = [mebibyte, 8 * mebibyte];

/** The most bytes that are actually sent. Larger sizes are only announced, for servers that check a quota first. */
export const maxTrialBytes = 64 * mebibyte;

/** What a node accepts, as far as was tried: everything up to `taken` bytes, but not `refused` bytes. */
export type Trial = { taken: number; refused?: { bytes: number; code: string } };

/**
 * Sends parts of increasing size, up to `size` bytes or 64 MiB, until one is rejected, and cleans up after itself.
 * Returns undefined if something else went wrong, which says nothing about the space.
 */
export async function trial(endpoint: string, s3: S3, size: number, deadline: number): Promise<Trial | undefined> {
  const key = `probe/${crypto.randomUUID()}`;
  let upload: string | undefined;
  try {
    upload = await s3.initiate(key, "text/plain", "probe");
    const urlOf = (bytes: number) => s3.partUrl(key, upload ?? "", { part: 1, size: bytes }, endpoint);
    const maxBytes = Math.min(size, maxTrialBytes);
    let taken = 0;
    for (const bytes of [...steps.filter((step) => step < maxBytes), maxBytes]) {
      const offered = await retryOnce(() => offer(urlOf(bytes), { size: bytes, deadline }));
      const outcome = reading(offered, taken, bytes);
      if (outcome !== "taken") return outcome;
      taken = bytes;
    }
    if (size <= maxBytes) return { taken };
    const outcome = reading(await offer(urlOf(size), { size, isOnlyAnnounced: true, deadline }), taken, size);
    return outcome === "taken" ? { taken } : outcome;
  } catch (error) {
    return reading({ outcome: "refused", code: codeOf(error) }, 0, 1) as Trial | undefined;
  } finally {
    await s3.forget(key, upload).catch(() => undefined); // left to the node's own cleanup
  }
}

/** Whether this size is rejected for lack of space as soon as it is announced. Nothing is sent. */
export async function isRefused(endpoint: string, s3: S3, size: number, deadline: number): Promise<boolean> {
  const key = `probe/${crypto.randomUUID()}`;
  let upload: string | undefined;
  try {
    upload = await s3.initiate(key, "text/plain", "probe");
    const offered = await offer(s3.partUrl(key, upload, { part: 1, size }, endpoint), {
      size,
      isOnlyAnnounced: true,
      deadline,
    });
    return offered.outcome === "refused" && meansFull(offered.code);
  } catch (error) {
    return meansFull(codeOf(error));
  } finally {
    await s3.forget(key, upload).catch(() => undefined);
  }
}

/** A broken connection gets a second chance, because the network may have been at fault. */
async function retryOnce(attempt: () => Promise<Offered>): Promise<Offered> {
  const first = await attempt();
  return first.outcome === "refused" && first.code === "Closed" ? attempt() : first;
}

/** If fewer bytes were accepted a moment ago, the size is what was rejected, whatever code the server uses. */
function reading(offered: Offered, taken: number, bytes: number): Trial | "taken" | undefined {
  if (offered.outcome === "taken") return "taken";
  if (offered.outcome === "unavailable" || offered.code === "EntityTooLarge") return undefined;
  const { code } = offered;
  return meansFull(code) || taken > 0 ? { taken, refused: { bytes, code } } : undefined;
}
