import { asciiDomain } from "../../../db/lib/email-key";
import * as patterns from "./patterns";
import { exactLine } from "./schemas";

/** The Dot-string of RFC 5321, section 4.1.2: every character that needs no quotes, in parts with a dot between. */
const atext = "[A-Za-z0-9!#$%&'*+\\/=?^_`{|}~\\-]";
const local = `${atext}+(?:\\.${atext}+)*`;
/** A top-level domain is a word, or one in punycode: numbers only would be an IP address. */
const domain = "(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+(?:[A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9\\-]*[A-Za-z0-9])";
const shape = new RegExp(`^${local}@${domain}$`);

const emailPattern = patterns.emailPattern({ local, domain }, 200);

/** An email address as typed, at most 200 characters (spec part 2). Compare addresses with `emailKey`. */
export const emailAddress = exactLine({ max: 200 }).refine(isEmailAddress, "must be a valid email address").meta({
  pattern: emailPattern,
  format: "email", // an annotation: addresses of any script are accepted
  description: "An email address of at most 200 characters. Its domain may be written in any script.",
});

/**
 * domainToASCII reads a host as browsers do: it cuts "a.example/b" short, decodes %61 and drops invisible characters.
 */
const noDomain = /[\p{Cf}\p{Z}]|(?![a-z0-9.-])[\0-\x7f]/u;

/** An encoded word (RFC 2047), which some mail programs decode even here, into another address. */
const encodedWord = /=\?.*\?=/;

/**
 * What mail servers agree on, including internationalised domains. Not a local part beyond ASCII: every server on its
 * way would need SMTPUTF8, which Resend does not have. Lengths as in RFC 5321, section 4.5.3.1.
 */
function isEmailAddress(address: string): boolean {
  const cut = address.lastIndexOf("@");
  const mailbox = address.slice(0, cut);
  const written = address.slice(cut + 1).toLowerCase();
  const name = asciiDomain(written);
  return (
    cut > 0 &&
    !noDomain.test(written) &&
    mailbox.length <= 64 &&
    !encodedWord.test(mailbox) &&
    name.split(".").every((label) => label.length <= 63) &&
    shape.test(`${mailbox}@${name}`)
  );
}
