import type { Email } from "../provider";

/**
 * The address that a server sends its report on this email to: BOUNCE_ADDRESS with what proves whose email it was
 * (src/mailbox/proof.ts). Undefined for an email that nothing tells apart.
 */
export function returnPath(bounceAddress: string, { messageId = "", tags = {} }: Pick<Email, "messageId" | "tags">) {
  const [, row, mac] = /^b\.(\d+)\.[\da-f-]+\.([\da-f]{20})@/.exec(messageId) ?? [];
  const token = row && mac ? `b${row}-${mac}` : tags.postroom_m && `m${tags.postroom_m.replaceAll("-", "")}`;
  return token ? bounceAddress.replace("{}", token) : undefined;
}
