import { createHmac, timingSafeEqual } from "node:crypto";
import { dayMs } from "../../../db/lib/time";
import type { Config } from "../../platform/config";
import { deriveKey } from "../secrets";

/** How many days a preview link may work. */
export const previewDays = [1, 7, 30] as const;
export type PreviewDays = (typeof previewDays)[number];

/** A draft, and the manager who shared it: the link works as long as they are one. */
type Preview = { postId: string; /** Unknown in links made before this was recorded. */ managerId?: string };

const sign = ({ APP_SECRET }: Pick<Config, "APP_SECRET">, { postId, managerId }: Preview, expiresAt: string) =>
  createHmac("sha256", deriveKey(APP_SECRET, "preview/v1"))
    .update([expiresAt, postId, ...(managerId ? [managerId] : [])].join("\n"))
    .digest();

/**
 * Returns a link that shows a draft to anyone who has it, until it expires or its manager is removed. It follows the
 * post, not its slug.
 *
 * @param page where the post is read
 */
export function previewLink(
  config: Pick<Config, "APP_SECRET">,
  { id: postId, page }: { id: string; page: string },
  managerId: string,
  days: PreviewDays,
  now: Date,
) {
  const expiresAt = new Date(now.getTime() + days * dayMs);
  const time = Math.floor(expiresAt.getTime() / 1_000).toString(36);
  const token = [time, postId, managerId, sign(config, { postId, managerId }, time).toString("base64url")].join(".");
  const url = new URL(page);
  url.searchParams.set("preview", token);
  return { url: url.href, expiresAt };
}

/** Returns what the token was made for; undefined if it is not ours or has expired. */
export function previewOf(config: Pick<Config, "APP_SECRET">, token: string, now: Date): Preview | undefined {
  const parts = /^([0-9a-z]{1,9})\.([0-9a-f-]{36})\.(?:([0-9a-f-]{36})\.)?([\w-]{43})$/.exec(token) ?? [];
  const [, time = "", postId = "", managerId, signature = ""] = parts;
  const preview = { postId, ...(managerId !== undefined && { managerId }) };
  const given = Buffer.alloc(32);
  given.write(signature, "base64url");
  const isOurs = timingSafeEqual(sign(config, preview, time), given);
  const wellFormed = given.toString("base64url") === signature; // only one spelling is valid
  return isOurs && wellFormed && now.getTime() < Number.parseInt(time, 36) * 1_000 ? preview : undefined;
}
