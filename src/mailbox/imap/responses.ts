/* The server's side of IMAP (RFC 9051): lines, in which the bytes of a message follow their number. */

/** A response. Each literal in `text` is one NUL, which no line contains. */
export type Response = { text: string; literals: Buffer[] };

const literal = "\0";
const newLine = 10;

/** Cuts what a server sends into responses. What it may send in all is bounded by who reads from it. */
export class Responses {
  private chunks: Uint8Array[] = [];
  private length = 0;
  private text = "";
  private literals: Buffer[] = [];
  private literalBytes = 0;

  /** Returns the responses that are complete now. @throws if it is no IMAP */
  take(chunk: Uint8Array): Response[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    const isWorthReading = this.literalBytes ? this.length >= this.literalBytes : chunk.includes(newLine);
    if (!isWorthReading) return []; // joined once, however small the chunks are
    let rest = Buffer.concat(this.chunks);
    const complete: Response[] = [];
    for (;;) {
      if (this.literalBytes) {
        if (rest.length < this.literalBytes) break;
        this.literals.push(rest.subarray(0, this.literalBytes));
        rest = rest.subarray(this.literalBytes);
        this.literalBytes = 0;
      }
      const end = rest.indexOf(newLine);
      if (end < 0) break;
      const response = this.takeLine(rest.toString("latin1", 0, end).replace(/\r$/, ""));
      rest = rest.subarray(end + 1);
      if (response) complete.push(response);
    }
    this.chunks = [rest];
    this.length = rest.length;
    return complete;
  }

  /** Returns the response if it ends with this line. */
  private takeLine(line: string): Response | undefined {
    if (line.includes(literal)) throw new Error("The server does not speak IMAP");
    const [marker, bytes] = /~?\{(\d{1,10})\+?\}$/.exec(line) ?? [];
    if (marker === undefined) {
      const response = { text: this.text + line, literals: this.literals };
      [this.text, this.literals] = ["", []];
      return response;
    }
    this.text += line.slice(0, -marker.length) + literal;
    this.literalBytes = Number(bytes);
    if (!this.literalBytes) this.literals.push(Buffer.alloc(0));
    return undefined;
  }
}

/** A message as FETCH returned it. */
export type Fetched = { uid: number; receivedAt: Date | undefined; bytes: Buffer };

/** Reads "* 12 FETCH (UID 33 INTERNALDATE "…" BODY[]<0> …)". */
export function fetchedIn({ text, literals }: Response): Fetched | undefined {
  if (!/^\* \d+ FETCH \(/i.test(text)) return;
  const uid = Number(/[( ]UID (\d{1,10})/i.exec(text)?.[1]);
  const date = /INTERNALDATE "([^"]{1,40})"/i.exec(text)?.[1]?.trim();
  const [, quoted] = /BODY\[\](?:<0>)? "((?:[^"\\]|\\.)*)"/i.exec(text) ?? [];
  const bytes = quoted === undefined ? literals[0] : Buffer.from(quoted.replace(/\\(.)/g, "$1"), "latin1");
  if (!uid || !bytes) return;
  const at = date && new Date(date.replace(/^(\d{1,2})-(\w{3})-(\d{4})/, "$1 $2 $3"));
  return { uid, receivedAt: at && !Number.isNaN(at.getTime()) ? at : undefined, bytes };
}

/** The number that a response of SELECT names: "* OK [UIDVALIDITY 3857529045] UIDs valid". */
export const codeIn = (responses: Response[], name: string): number | undefined => {
  const pattern = new RegExp(`^\\* OK \\[${name} (\\d{1,10})\\]`, "i");
  const value = responses.flatMap(({ text }) => pattern.exec(text)?.[1] ?? [])[0];
  return value === undefined ? undefined : Number(value);
};

/** The UIDs that a SEARCH found, in order. */
export const uidsIn = (responses: Response[]): number[] =>
  responses
    .flatMap(({ text }) => (/^\* SEARCH\b/i.test(text) ? text.slice("* SEARCH".length).trim().split(/\s+/) : []))
    .map(Number)
    .filter((uid) => Number.isSafeInteger(uid) && uid > 0)
    .sort((a, b) => a - b);
