import { domainToASCII } from "node:url";
import { normalized } from "./text";

/**
 * Returns the canonical form that decides whether two addresses are the same (D11): trimmed, lower case, domain in
 * punycode. Plus tags and dots are kept, because most providers treat them as significant.
 */
export function emailKey(email: string): string {
  return asciiAddress(normalized(email.trim(), "NFC").toLowerCase());
}

/** Returns the address with its domain in punycode, as DNS and every mail server know it; the local part unchanged. */
function asciiAddress(email: string): string {
  const cut = email.lastIndexOf("@");
  return `${email.slice(0, cut)}@${asciiDomain(email.slice(cut + 1))}`;
}

/** Returns a domain in punycode; empty if there is no such domain. A domain in ASCII is returned as it is. */
export const asciiDomain = (domain: string): string => (/^[\0-\x7f]*$/.test(domain) ? domain : domainToASCII(domain));

/** Providers that ignore these characters, with all domains of the same mailbox. */
const lenientProviders = [
  // support.google.com/mail/answer/7436150: dots do not matter. Companies' own domains at Google are left alone: there,
  // dots do matter.
  { ignored: /\./g, domains: ["gmail.com", "googlemail.com"] },
  // proton.me/support/change-username: "." "_" "-" are ignored, and a name belongs to one account on all domains.
  { ignored: /[._-]/g, domains: ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"] },
];

/**
 * Returns the mailbox behind a canonical address: without its tag ("+news", RFC 5233) and, at providers that ignore
 * them, without dots. Used only to limit what one person receives; whether two addresses are the same subscriber is
 * decided by `emailKey` (D11).
 */
export function mailboxKey(key: string): string {
  const cut = key.lastIndexOf("@");
  const [local, domain] = [key.slice(0, cut), key.slice(cut + 1)];
  const untagged = local.split("+", 1)[0] || local; // nothing before the plus: not a tag
  const provider = lenientProviders.find(({ domains }) => domains.includes(domain));
  if (!provider) return `${untagged}@${domain}`;
  return `${untagged.replace(provider.ignored, "") || untagged}@${provider.domains[0]}`;
}
