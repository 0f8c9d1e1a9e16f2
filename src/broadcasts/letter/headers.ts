import { headerText } from "../../mail/headers";

/** What the headers of a broadcast say, frozen with its letter. */
export type Envelope = {
  /** The whole sender, as MAIL_FROM. */
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

/** The contract's link. Mail programs post to it when their unsubscribe button is pressed (RFC 8058). */
const oneClickLink = ({ siteUrl }: Links, { email, token }: Reader) =>
  `${siteUrl}/api/newsletter/unsubscribe?${new URLSearchParams({ email, token })}`;

/** The link in the text. @param recipient its row in `broadcast_recipients` */
export const leaveLink = ({ siteUrl }: Links, { email, token }: Reader, recipient: number) =>
  `${siteUrl}/api/newsletter/leave?${new URLSearchParams({ email, token, b: String(recipient) })}`;

/**
 * What every email of a broadcast carries: how to leave (RFC 2369, RFC 8058), which list it is (RFC 2919), that no
 * person sent it (RFC 3834), and what it is counted under (Feedback-ID).
 */
export function broadcastHeaders(
  { siteTitle, siteUrl, isListed }: Omit<Envelope, "from">,
  reader: Reader,
  broadcastId: string,
): Record<string, string> {
  return {
    "List-Unsubscribe": `<${oneClickLink({ siteUrl }, reader)}>`,
    ...(siteUrl.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058 wants https
    "List-Id": listId(siteTitle, siteUrl),
    ...(isListed && { "List-Archive": `<${siteUrl}/newsletter>` }),
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "OOF",
    "Feedback-ID": `${shortId(broadcastId)}:newsletter:postroom`,
  };
}

/** The name only where ASCII can say it: in this header an encoded one is shown as it is by many programs. */
function listId(title: string, siteUrl: string): string {
  const id = `<newsletter.${domainOf(siteUrl)}>`;
  const name = headerText(title, 80).replaceAll(/["\\]/g, "");
  return /^[ !#-~]+$/.test(name) ? `"${name}" ${id}` : id;
}

/** The host as a domain name: an IPv6 address is none. */
export const domainOf = (siteUrl: string) => new URL(siteUrl).hostname.replace(/^\[.*\]$/, "localhost");

/** The random end of a UUIDv7: providers sum up complaints by it. */
const shortId = (id: string) => id.replaceAll("-", "").slice(-12);
