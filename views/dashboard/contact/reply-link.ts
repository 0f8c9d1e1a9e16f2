const maxLinkLength = 1_900; // Windows hands programs at most about 2,000 characters
const lineBreak = "\r\n"; // RFC 6068 section 5

type Letter = { name: string; email: string; message: string; createdAt: Date };

/**
 * A link that replies to a message in the manager's own email app, with a subject and as much of the message quoted as
 * fits.
 */
export function replyLink({ name, email, message, createdAt }: Letter, siteTitle: string): string {
  const day = createdAt.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const subject = encoded(`Re: your message to ${truncated(siteTitle, 60)}`);
  const opening = encoded(`${lineBreak.repeat(2)}On ${day}, ${truncated(name, 60)} wrote:${lineBreak}`);
  const start = `mailto:${mailAddress(email)}?subject=${subject}&body=${opening}`;
  return start + quoted(message, maxLinkLength - start.length);
}

export const mailAddress = (email: string) => {
  const cut = email.lastIndexOf("@");
  return `${encoded(email.slice(0, cut))}@${encoded(email.slice(cut + 1))}`;
};

function quoted(message: string, maxLength: number): string {
  const cutMark = encoded(" […]");
  let quote = encoded("> ");
  for (const character of message) {
    const next = encoded(character === "\n" ? `${lineBreak}> ` : character);
    if (quote.length + next.length + cutMark.length > maxLength) return quote + cutMark;
    quote += next;
  }
  return quote;
}

const truncated = (text: string, max: number) => [...text].slice(0, max).join("");

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
