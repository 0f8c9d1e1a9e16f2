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

/** Providers that deliver to one mailbox whatever these characters are, with all domains of that mailbox. */
const lenientProviders = [
  // support.google.com/mail/answer/7436150: dots do not matter. Companies' own domains at Google are left as they are:
  // there, dots do matter.
  { ignored: /\./g, domains: ["gmail.com", "googlemail.com"] },
  // proton.me/support/change-username: "." "_" "-" are transparent, and a name is given to one account for all domains.
  { ignored: /[._-]/g, domains: ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"] },
];

/**
 * The mailbox behind a canonical address: without its tag ("+news", RFC 5233) and, at providers that ignore them,
 * without dots. Only for limits on what one person gets; who is the same subscriber is `emailKey`'s to say (D11, P71).
 */
export function mailboxKey(key: string): string {
  const cut = key.lastIndexOf("@");
  const [local, domain] = [key.slice(0, cut), key.slice(cut + 1)];
  const untagged = local.split("+", 1)[0] || local; // nothing before the plus: it is no tag
  const provider = lenientProviders.find(({ domains }) => domains.includes(domain));
  if (!provider) return `${untagged}@${domain}`;
  return `${untagged.replace(provider.ignored, "") || untagged}@${provider.domains[0]}`;
}
