import { codeOf, meansFull } from "../s3/errors";
import type { Offered, offer as sendOffer } from "../s3/offer";
import type { S3 } from "../s3/s3";

/** Loaded on first use, because it brings TLS with it. */
const offer: typeof sendOffer = async (url, options) => (await import("../s3/offer")).offer(url, options);

const mebibyte = 2 ** 20;
const steps = [mebibyte, 8 * mebibyte];

/** The most bytes that are really sent. A larger size is only announced, for servers that check a quota first. */
export const maxTrialBytes = 64 * mebibyte;

/** What a node takes, as far as it was tried: everything up to `taken` bytes, and not so many as were `refused`. */
export type Trial = { taken: number; refused?: { bytes: number; code: string } };

/**
 * Sends parts of growing size, up to `size` bytes or 64 MiB, until one is refused, and leaves nothing behind. Undefined
 * when something else was wrong: that says nothing about room.
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
      const found = reading(offered, taken, bytes);
      if (found !== "taken") return found;
      taken = bytes;
    }
    if (size <= maxBytes) return { taken };
    const found = reading(await offer(urlOf(size), { size, isOnlyAnnounced: true, deadline }), taken, size);
    return found === "taken" ? { taken } : found;
  } catch (error) {
    return reading({ outcome: "refused", code: codeOf(error) }, 0, 1) as Trial | undefined;
  } finally {
    await s3.forget(key, upload).catch(() => undefined); // the node's own clean-up is left
  }
}

/** Whether so many bytes are refused for want of room as soon as they are announced: none of them is sent. */
export async function isRefused(endpoint: string, s3: S3, size: number, deadline: number): Promise<boolean> {
  const key = `probe/${crypto.randomUUID()}`;
  let upload: string | undefined;
  try {
    upload = await s3.initiate(key, "text/plain", "probe");
    const offered = await offer(s3.partUrl(key, upload, { part: 1, size }, endpoint), {
      ...{ size, isOnlyAnnounced: true, deadline },
    });
    return offered.outcome === "refused" && meansFull(offered.code);
  } catch (error) {
    return meansFull(codeOf(error));
  } finally {
    await s3.forget(key, upload).catch(() => undefined);
  }
}

/** A connection that broke is given a second chance: it may have been the network. */
async function retryOnce(attempt: () => Promise<Offered>): Promise<Offered> {
  const first = await attempt();
  return first.outcome === "refused" && first.code === "Closed" ? attempt() : first;
}

/** Where fewer bytes were taken a moment ago, it is their number that is refused, whatever the server calls that. */
function reading(offered: Offered, taken: number, bytes: number): Trial | "taken" | undefined {
  if (offered.outcome === "taken") return "taken";
  if (offered.outcome === "unavailable" || offered.code === "EntityTooLarge") return undefined;
  const { code } = offered;
  return meansFull(code) || taken > 0 ? { taken, refused: { bytes, code } } : undefined;
}
