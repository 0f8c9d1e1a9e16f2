import { domainToASCII } from "node:url";
import { normalized } from "./normalize";

/**
 * The canonical form that decides whether two addresses are the same (D11): trimmed, lower case, the domain in
 * punycode. Plus tags and dots stay distinct, because at most providers they are.
 */
export function emailKey(email: string): string {
  const address = normalized(email.trim(), "NFC").toLowerCase();
  const cut = address.lastIndexOf("@");
  return `${address.slice(0, cut)}@${domainToASCII(address.slice(cut + 1))}`;
}
