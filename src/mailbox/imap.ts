import { messageOf } from "../platform/log";
import { connect as connectPlainly, type Socket } from "node:net";
import { connect as connectEncrypted } from "node:tls";
import { redactor } from "../mail/provider";
import { ipVersion } from "../platform/networks";
import type { MailboxServer } from "../platform/mail-urls";
import { maxBytes } from "./mime";

/** An open folder. UIDs mean the same messages as long as `uidValidity` stays the same. */
export type Mailbox = {
  uidValidity: number;
  /** The UIDs of messages after this one that were received on or after this day, in order. */
  search(afterUid: number, since: Date): Promise<number[]>;
  /** Its first MiB, unless it was deleted meanwhile. It stays unread. */
  message(uid: number): Promise<Fetched | undefined>;
  markSeen(uid: number): Promise<void>;
  /** Waits for new messages, but no longer than this. */
  wait(milliseconds: number): Promise<void>;
  close(): void;
};

/** Opens the folder. The password is in no message of an error. */
export async function openMailbox(server: MailboxServer, how: How): Promise<Mailbox> {
  const { user, password, folder } = server;
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const redact = redactor(password, base64(password), base64(`\0${user}\0${password}`), encodeURIComponent(password));
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(server, how);
    const hasIdle = await logIn(connection, server);
    const selected = await connection.command(`SELECT ${quoted(folder)}`);
    const uidValidity = codeIn(selected, "UIDVALIDITY");
    if (!uidValidity) throw new Error(`The folder ${folder} has no UIDVALIDITY`);
    return mailboxOf(connection, { uidValidity, hasIdle, signal: how.signal });
  } catch (error) {
    connection?.close();
    throw new Error(redact(messageOf(error)));
  }
}

const mailboxOf = (
  connection: Connection,
  { uidValidity, hasIdle, signal }: { uidValidity: number; hasIdle: boolean; signal: AbortSignal },
): Mailbox => ({
  uidValidity,
  async search(afterUid, since) {
    const uids = uidsIn(await connection.command(`UID SEARCH UID ${afterUid + 1}:* SINCE ${dayOf(since)}`));
    return uids.filter((uid) => uid > afterUid); // n:* includes the last message, however small its UID is
  },
  async message(uid) {
    const answer = await connection.command(`UID FETCH ${uid} (UID INTERNALDATE BODY.PEEK[]<0.${maxBytes}>)`);
    return answer.flatMap((response) => fetchedIn(response) ?? []).find((message) => message.uid === uid);
  },
  async markSeen(uid) {
    try {
      await connection.command(`UID STORE ${uid} +FLAGS.SILENT (\\Seen)`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // a folder that may only be read is read all the same
    }
  },
  async wait(milliseconds) {
    if (hasIdle) await connection.idle(milliseconds);
    else await sleep(milliseconds, signal);
  },
  close: () => connection.close(),
});

/** Returns whether the server tells of new messages by itself. */
async function logIn(connection: Connection, { user, password }: MailboxServer): Promise<boolean> {
  const before = await capabilities(connection);
  if (before.has("AUTH=PLAIN"))
    await connection.command("AUTHENTICATE PLAIN", Buffer.from(`\0${user}\0${password}`).toString("base64"));
  else if (isPrintable(user) && isPrintable(password))
    await connection.command(`LOGIN ${quoted(user)} ${quoted(password)}`);
  else throw new Error("The server only accepts names and passwords in ASCII");
  return (await capabilities(connection)).has("IDLE"); // some tell it only now
}

async function capabilities(connection: Connection): Promise<Set<string>> {
  const answer = await connection.command("CAPABILITY");
  const names = answer.flatMap(({ text }) =>
    /^\* CAPABILITY /i.test(text) ? text.toUpperCase().split(" ").slice(2) : [],
  );
  return new Set(names);
}

const isPrintable = (text: string) => /^[ -~]*$/.test(text);
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const dayOf = (date: Date) => `${date.getUTCDate()}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()}`;

/** Waits; ends at once, with an error, when the signal is aborted. */
export const sleep = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });

const silenceMs = 60_000;
/** What a server may send in answer to a command: a message of 1 MiB, or the numbers of 500,000. */
const maxAnswerBytes = 4 * 2 ** 20;

type Pending = {
  tag: string;
  responses: Response[];
  bytes: number;
  /** Called when the server asks for more. */
  goOn: () => void;
  /** Called with each response of the server that no command asked for. */
  heard: (response: Response) => void;
  resolve: (responses: Response[]) => void;
  reject: (error: Error) => void;
};

export type How = {
  signal: AbortSignal;
  /** A certificate authority to trust besides the usual ones. For tests. */
  ca?: string | undefined;
  /** How long the server may take to answer. */
  waitLimitMs?: number | undefined;
};

/** A connection to an IMAP server, which does one command after the other. */
class Connection {
  private readonly incoming = new Responses();
  private pending: Pending | undefined;
  private commands = 0;
  private over: Error | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly waitLimitMs: number,
  ) {
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("error", (error) => this.end(error));
    socket.on("close", () => this.end(new Error("The connection was closed")));
  }

  /** Connects, and waits for the greeting. @throws if the certificate is not trusted */
  static async open(server: MailboxServer, { signal, ca, waitLimitMs = silenceMs }: How): Promise<Connection> {
    signal.throwIfAborted();
    const { host, port, isEncrypted } = server;
    const socket = isEncrypted
      ? connectEncrypted({
          host,
          port,
          rejectUnauthorized: true,
          minVersion: "TLSv1.2",
          ...(!ipVersion(host) && { servername: host }),
          ...(ca && { ca }),
        })
      : connectPlainly({ host, port });
    const connection = new Connection(socket, waitLimitMs);
    signal.addEventListener("abort", () => connection.end(new Error("It took too long, or the service is stopping")), {
      once: true,
    });
    const [greeting] = await connection.wait("*", () => undefined);
    if (!/^\* (OK|PREAUTH)\b/i.test(greeting?.text ?? "")) {
      connection.end(new Error("refused"));
      throw new Error(`The server refused the connection: ${greeting?.text}`);
    }
    return connection;
  }

  /**
   * Does a command, and returns what the server answered. Texts that follow the first are sent one by one, when the
   * server asks for them.
   *
   * @throws if the server refuses it
   */
  command(text: string, ...more: string[]): Promise<Response[]> {
    const tag = `p${++this.commands}`;
    const texts = more[Symbol.iterator]();
    return this.wait(tag, () => this.socket.write(`${tag} ${text}\r\n`), {
      goOn: () => {
        const next = texts.next();
        if (!next.done) this.socket.write(`${next.value}\r\n`);
      },
    });
  }

  /** Waits until messages arrive, but no longer than `milliseconds` (RFC 2177). */
  async idle(milliseconds: number): Promise<void> {
    const tag = `p${++this.commands}`;
    let isDone = false;
    const done = () => {
      if (!isDone) this.socket.write("DONE\r\n");
      isDone = true;
    };
    let timer: Timer | undefined;
    try {
      await this.wait(tag, () => this.socket.write(`${tag} IDLE\r\n`), {
        idleMs: milliseconds,
        goOn: () => (timer = setTimeout(done, milliseconds)),
        heard: ({ text }) => {
          if (timer && /^\* \d+ EXISTS\b/i.test(text)) done();
        },
      });
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    if (!this.over) this.socket.end("p0 LOGOUT\r\n");
    this.end(new Error("closed"));
  }

  private wait(
    tag: string,
    begin: () => void,
    { goOn = () => {}, heard = () => {}, idleMs = 0 }: Partial<Pending> & { idleMs?: number } = {},
  ): Promise<Response[]> {
    if (this.over) return Promise.reject(this.over);
    const { promise, resolve, reject } = Promise.withResolvers<Response[]>();
    this.pending = { tag, responses: [], bytes: 0, goOn, heard, resolve, reject };
    const timer = setTimeout(() => this.end(new Error("The server does not answer")), idleMs + this.waitLimitMs);
    begin();
    return promise.finally(() => clearTimeout(timer));
  }

  private receive(chunk: Buffer): void {
    const { pending } = this;
    if (!pending || this.over) return;
    pending.bytes += chunk.length;
    if (pending.bytes > maxAnswerBytes) return this.end(new Error("The server sends too much"));
    try {
      for (const response of this.incoming.take(chunk)) this.handle(response);
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private handle(response: Response): void {
    const { pending } = this;
    if (!pending) return;
    const { text } = response;
    if (text.startsWith("+")) return pending.goOn();
    if (!text.startsWith(`${pending.tag} `) && pending.tag !== "*") {
      pending.responses.push(response);
      return pending.heard(response);
    }
    this.pending = undefined;
    if (pending.tag === "*") return pending.resolve([response]);
    const said = text.slice(pending.tag.length + 1);
    if (/^OK\b/i.test(said)) pending.resolve(pending.responses);
    else pending.reject(new Refused(said));
  }

  private end(error: Error): void {
    if (this.over) return;
    this.over = error;
    this.pending?.reject(error);
    this.pending = undefined;
    this.socket.destroySoon();
  }
}

/** The server does not do a command; the connection goes on. */
class Refused extends Error {
  override name = "Refused";
}

/* The server's side of IMAP (RFC 9051): lines, in which the bytes of a message follow their number. */

/** A response. Each literal in `text` is one NUL, which no line contains. */
type Response = { text: string; literals: Buffer[] };

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
type Fetched = { uid: number; receivedAt: Date | undefined; bytes: Buffer };

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
