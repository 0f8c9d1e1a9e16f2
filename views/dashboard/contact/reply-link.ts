const most = 1_900; // Windows hands programs at most about 2,000 characters
const lineBreak = "\r\n"; // RFC 6068 section 5

type Letter = { name: string; email: string; message: string; createdAt: Date };

/** The link that answers a message in the reader's own mail program: subject, and the message quoted as far as fits. */
export function replyLink({ name, email, message, createdAt }: Letter, siteTitle: string): string {
  const day = createdAt.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const subject = encoded(`Re: your message to ${atMost(60, siteTitle)}`);
  const opening = encoded(`${lineBreak.repeat(2)}On ${day}, ${atMost(60, name)} wrote:${lineBreak}`);
  const start = `mailto:${mailAddress(email)}?subject=${subject}&body=${opening}`;
  return start + quoted(message, most - start.length);
}

export const mailAddress = (email: string) => {
  const cut = email.lastIndexOf("@");
  return `${encoded(email.slice(0, cut))}@${encoded(email.slice(cut + 1))}`;
};

function quoted(message: string, room: number): string {
  const cutMark = encoded(" […]");
  let quote = encoded("> ");
  for (const character of message) {
    const next = encoded(character === "\n" ? `${lineBreak}> ` : character);
    if (quote.length + next.length + cutMark.length > room) return quote + cutMark;
    quote += next;
  }
  return quote;
}

const atMost = (most: number, text: string) => [...text].slice(0, most).join("");

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
