/**
 * What visitors typed, made fit for a mail header (D33): no control characters, no line or paragraph separators, no
 * marks that turn the reading direction, and nothing that reads as an encoded word (RFC 2047).
 */
export const headerText = (text: string, maxCharacters = 200): string => {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, " ")
    .replaceAll("=?", "= ?")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...clean];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join("")}…` : clean;
};

/** Exactly one address, without anything a mail server might read as more. */
export const isOneAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}\p{Cf}",;:<>()[\]\\@]+@[^\s\p{Cc}\p{Cf}",;:<>()[\]\\@]+$/u.test(text);

/**
 * One mailbox with a name, or undefined when the address is not one. Of the name only letters, digits and a few marks
 * stay: nothing that separates addresses.
 */
export function mailbox(name: string, email: string): string | undefined {
  if (!isOneAddress(email)) return undefined;
  const plain = headerText(name.replace(/[^\p{L}\p{M}\p{N} .'’_-]+/gu, " "), 80);
  return plain ? `"${plain}" <${email}>` : email;
}

/** The address of "ada@example.com" or "Ada <ada@example.com>". */
export const addressOf = (sender: string): string => /<([^>]+)>$/.exec(sender)?.[1] ?? sender;

/** The name and address that people see of "Ada <ada@example.com>"; without a name, the address is both. */
export function senderOf(sender: string): { name: string; address: string } {
  const address = addressOf(sender);
  const name = sender.slice(0, -address.length - 2).replaceAll('"', "");
  return { name: name.trim() || address, address };
}

/** The domain of "ada@example.com" or "Ada <ada@example.com>". */
export const domainOf = (sender: string): string => /@([^\s<>@]+)>?$/.exec(sender)?.[1] ?? "localhost";
