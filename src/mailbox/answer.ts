import { type IncomingAnswer, maxTextLength } from "../../db/contact/conversation";
import { headerText } from "../mail/headers";
import { addressIn } from "../mail/resend-events";
import { emailAddress } from "../platform/text/email-address";
import { field, type Part, partsOf, textOf, words } from "./mime";
import { idsIn } from "./proof";

/**
 * What a person answered by email. Undefined for what a program sent, such as “I am away”, and for what answers
 * nothing. Whether it belongs to a conversation of ours is decided by its references (db/contact/conversation.ts).
 */
export function answerIn(email: Part): IncomingAnswer | undefined {
  if (isAutomatic(email)) return;
  const [mailId] = idsIn(field(email, "message-id"));
  const references = [...idsIn(field(email, "references")), ...idsIn(field(email, "in-reply-to"))];
  const from = words(field(email, "from"));
  const address = addressIn(from);
  if (!mailId || !references.length || !emailAddress.safeParse(address).success) return;
  const name = headerText(from.replace(/<[^<>]*>\s*$/, "").replaceAll('"', ""), 100);
  return { mailId, references, name: name === address ? "" : name, email: address, text: ownWords(textIn(email)) };
}

/** RFC 3834, and what programs wrote before it. */
const isAutomatic = (email: Part) =>
  (email.fields.has("auto-submitted") && !/^no\b/i.test(field(email, "auto-submitted"))) ||
  /^(bulk|junk|list|auto_reply)\b/i.test(field(email, "precedence")) ||
  ["x-autoreply", "x-autorespond", "x-auto-response-suppress", "list-id"].some((name) => email.fields.has(name)) ||
  /^<>$/.test(field(email, "return-path"));

const maxReadCharacters = 4 * maxTextLength;

function textIn(email: Part): string {
  const parts = partsOf(email).filter((part) => !/^attachment\b/i.test(field(part, "content-disposition")));
  const plain = parts.find(({ type }) => type === "text/plain");
  const html = parts.find(({ type }) => type === "text/html");
  if (plain) return textOf(plain, maxReadCharacters);
  return html ? textOfHtml(textOf(html, maxReadCharacters)) : "";
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The words of an email that has no other text. What it shows is escaped like any text. */
const textOfHtml = (html: string): string =>
  html
    .replace(/<(style|script|title|head)\b[\s\S]*?(<\/\1\s*>|$)/gi, "")
    .replace(/<blockquote\b[\s\S]*$/i, "")
    .replace(/<(br|\/p|\/div|\/li|\/tr|\/h\d)\b[^>]{0,500}>/gi, "\n")
    .replace(/<[^<>]{0,5000}>/g, "")
    .replace(
      /&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,6});/gi,
      (whole, name: string) => entities[name.toLowerCase()] ?? numbered(name) ?? whole,
    );

function numbered(name: string): string | undefined {
  if (!name.startsWith("#")) return;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** What mail programs put above the email that they quote. */
const separator =
  /^-{2,} ?(original message|ursprüngliche nachricht|message d.origine|mensaje original|mensagem original|oorspronkelijk bericht)/i;
const outlookLine = /^_{20,}$/;
const outlookHeader = /^\*?(from|von|de|van)\*?:/i;
const wrote = "(?:wrote|schrieb|écrit|escribió|escreveu|schreef|geschreven)(?: [^\\n]{0,200})?:";
const attribution = new RegExp(`^(?:On|Am|Le|El|Em|Op) [^\\n]{0,300}${wrote}$`);
/** Programs break it after 78 characters. */
const brokenAttribution = new RegExp(`^((?:On|Am|Le|El|Em|Op) [^\\n]{5,200})\\n([^\\n]{0,200}${wrote})$`, "gm");

/** The text without what it quotes; all of it if there is nothing else. */
function ownWords(text: string): string {
  const lines = text.replace(brokenAttribution, "$1 $2").split("\n");
  const next = (at: number) => lines.slice(at + 1, at + 4).find((line) => line.trim()) ?? "";
  const end = lines.findIndex(
    (line, at) => separator.test(line) || (outlookLine.test(line) && outlookHeader.test(next(at))),
  );
  const own = lines
    .slice(0, end < 0 ? undefined : end)
    .filter((line, at) => !line.startsWith(">") && !(attribution.test(line.trim()) && next(at).startsWith(">")))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return (own || text.trim()).replaceAll(/(?![\n\t])\p{Cc}/gu, "");
}
