import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config";
import { deriveKey } from "../secrets";

type Secrets = Pick<Config, "APP_SECRET" | "BLOG_URL">;

/** How many days a preview link may work. */
export const previewDays = [1, 7, 30] as const;
export type PreviewDays = (typeof previewDays)[number];

const sign = ({ APP_SECRET }: Pick<Secrets, "APP_SECRET">, postId: string, expiresAt: string) =>
  createHmac("sha256", deriveKey(APP_SECRET, "preview/v1")).update(`${expiresAt}\n${postId}`).digest();

/** Returns a link that shows a draft to anyone who has it, until it expires. It follows the post, not its slug. */
export function previewLink(config: Secrets, { id, slug }: { id: string; slug: string }, days: PreviewDays, now: Date) {
  const expiresAt = new Date(now.getTime() + days * 86_400_000);
  const time = Math.floor(expiresAt.getTime() / 1_000).toString(36);
  const token = `${time}.${id}.${sign(config, id, time).toString("base64url")}`;
  const url = `${config.BLOG_URL}/api/posts/${encodeURIComponent(slug)}?${new URLSearchParams({ preview: token })}`;
  return { url, expiresAt };
}

/** Returns the ID of the post that the token was made for; undefined if it is not ours or has expired. */
export function previewedPost(config: Pick<Secrets, "APP_SECRET">, token: string, now: Date): string | undefined {
  const [, time = "", id = "", signature = ""] = /^([0-9a-z]{1,9})\.([0-9a-f-]{36})\.([\w-]{43})$/.exec(token) ?? [];
  const given = Buffer.alloc(32);
  given.write(signature, "base64url");
  const isOurs = timingSafeEqual(sign(config, id, time), given);
  const wellFormed = given.toString("base64url") === signature; // only one spelling is valid
  return isOurs && wellFormed && now.getTime() < Number.parseInt(time, 36) * 1_000 ? id : undefined;
}
