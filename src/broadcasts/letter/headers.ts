import { headerText } from "../../mail/headers";

/** The headers of a broadcast, frozen with its letter. */
export type Envelope = {
  /** The whole sender, in the format of MAIL_FROM. */
  from: string;
  replyTo?: string | undefined;
  siteTitle: string;
  /** BASE_URL */
  siteUrl: string;
  /** Whether the archive lists it. */
  isListed: boolean;
};
type Links = Pick<Envelope, "siteUrl">;
type Reader = { email: string; token: string };

/** The contract's unsubscribe link. Email apps post to it when their unsubscribe button is pressed (RFC 8058). */
const oneClickLink = ({ siteUrl }: Links, { email, token }: Reader) =>
  `${siteUrl}/api/newsletter/unsubscribe?${new URLSearchParams({ email, token })}`;

/** The unsubscribe link in the text. @param recipient its row in `broadcast_recipients` */
export const leaveLink = ({ siteUrl }: Links, { email, token }: Reader, recipient: number) =>
  `${siteUrl}/api/newsletter/leave?${new URLSearchParams({ email, token, b: String(recipient) })}`;

/**
 * The headers of every email of a broadcast: how to unsubscribe (RFC 2369, RFC 8058), which list it belongs to (RFC
 * 2919), that it was sent automatically (RFC 3834), and what it is counted under (Feedback-ID).
 */
export function broadcastHeaders(
  { siteTitle, siteUrl, isListed }: Omit<Envelope, "from">,
  reader: Reader,
  broadcastId: string,
): Record<string, string> {
  return {
    "List-Unsubscribe": `<${oneClickLink({ siteUrl }, reader)}>`,
    ...(siteUrl.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058 requires https
    "List-Id": listId(siteTitle, siteUrl),
    ...(isListed && { "List-Archive": `<${siteUrl}/newsletter>` }),
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "OOF",
    "Feedback-ID": `${shortId(broadcastId)}:newsletter:postroom`,
  };
}

/** Includes the name only if it is ASCII: many programs show an encoded one undecoded in this header. */
function listId(title: string, siteUrl: string): string {
  const id = `<newsletter.${domainOf(siteUrl)}>`;
  const name = headerText(title, 80).replaceAll(/["\\]/g, "");
  return /^[ !#-~]+$/.test(name) ? `"${name}" ${id}` : id;
}

/** Returns the host if it is a domain name: an IPv6 address is not. */
export const domainOf = (siteUrl: string) => new URL(siteUrl).hostname.replace(/^\[.*\]$/, "localhost");

/** The random end of a UUIDv7, under which providers count complaints. */
const shortId = (id: string) => id.replaceAll("-", "").slice(-12);
