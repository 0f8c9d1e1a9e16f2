import { domainToASCII } from "node:url";
import { z } from "zod";
import * as patterns from "./text/patterns";
import { exactLine } from "./text/schemas";

const email = z.email(); // created once: that takes longer than a check
export const emailPattern = patterns.emailPattern(z.regexes.email.source.replace(/^\^|\$$/g, ""), 200);

/** An email address as typed, at most 200 characters (spec part 2). Compare addresses with `emailKey`. */
export const emailAddress = exactLine({ max: 200 }).refine(isEmailAddress, "must be a valid email address").meta({
  pattern: emailPattern, // no format, which would reject the white space that is trimmed
  description: "An email address of at most 200 characters.",
});

/**
 * domainToASCII reads a host as browsers do: it cuts "a.example/b" short, decodes %61 and drops invisible characters.
 */
const noDomain = /[\p{Cf}\p{Z}]|(?![a-z0-9.-])[\0-\x7f]/u;

/** What mail servers agree on, including internationalised domains. Lengths as in RFC 5321, section 4.5.3.1. */
function isEmailAddress(address: string): boolean {
  const cut = address.lastIndexOf("@");
  const local = address.slice(0, cut);
  const written = address.slice(cut + 1).toLowerCase();
  const domain = domainToASCII(written);
  return (
    cut > 0 &&
    !noDomain.test(written) &&
    Buffer.byteLength(local) <= 64 &&
    domain.split(".").every((label) => label.length > 0 && label.length <= 63) &&
    email.safeParse(`${local}@${domain}`).success
  );
}
