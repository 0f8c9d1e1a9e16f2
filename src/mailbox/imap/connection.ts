import { connect as connectPlainly, type Socket } from "node:net";
import { connect as connectEncrypted } from "node:tls";
import { ipVersion } from "../../platform/ip-address";
import type { MailboxServer } from "../../platform/mailbox-url";
import { type Response, Responses } from "./responses";

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
  patienceMs?: number | undefined;
};

/** A connection to an IMAP server, which does one command after the other. */
export class Connection {
  private readonly incoming = new Responses();
  private pending: Pending | undefined;
  private commands = 0;
  private over: Error | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly patienceMs: number,
  ) {
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("error", (error) => this.end(error));
    socket.on("close", () => this.end(new Error("The connection was closed")));
  }

  /** Connects, and waits for the greeting. @throws if the certificate is not trusted */
  static async open(server: MailboxServer, { signal, ca, patienceMs = silenceMs }: How): Promise<Connection> {
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
    const connection = new Connection(socket, patienceMs);
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
    const timer = setTimeout(() => this.end(new Error("The server does not answer")), idleMs + this.patienceMs);
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
export class Refused extends Error {
  override name = "Refused";
}
