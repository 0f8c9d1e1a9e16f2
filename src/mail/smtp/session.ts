import type { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SmtpServer } from "../../platform/mail-urls";

const connectTimeoutMs = 15_000;
/** An idle connection is closed after this time, and so is one whose server is silent. */
const silenceMs = 60_000;
/**
 * What a server may say while we connect, log in, or hand over an email: it needs a dozen replies, of a line or two.
 */
const maxReplies = 40;
const maxReplyBytes = 256 * 2 ** 10;
const measureMs = 50;

export type Session = {
  /** Resolves with the server's last reply. @throws SmtpError */
  send(envelope: { from: string; to: string; size: number }, message: Readable, signal: AbortSignal): Promise<string>;
  /** Prepares the session for another email after a rejected one. False if the session is over. */
  reset(): Promise<boolean>;
  isOver(): boolean;
  quit(): void;
  close(): void;
};

/**
 * Connects and logs in. We keep the connections ourselves instead of using nodemailer's pool: that one sends an email
 * again automatically, and we have to know whether the server had begun to read it.
 *
 * @param name sent with EHLO @param ca for tests @throws SmtpError
 */
export async function openSession(
  server: SmtpServer,
  { signal, ...named }: Named & { signal: AbortSignal },
): Promise<Session> {
  const { default: Connection } = await import("nodemailer/lib/smtp-connection"); // loaded with the first email
  let replies = 0;
  const countReply = (entry?: { tnx?: string }) => void (replies += entry?.tnx === "server" ? 1 : 0);
  const connection = new Connection({ ...optionsFor(server, named), logger: { debug: countReply } });
  let isOver = false;
  const over = () => void (isOver = true);
  connection.once("end", over).on("error", over);
  const step = boundedSteps(connection, () => replies);
  try {
    await step(signal, (done) => connection.connect(done));
    const { login } = server;
    if (login) await step(signal, (done) => connection.login({ user: login.user, pass: login.password }, done));
  } catch (error) {
    connection.close(); // after a wrong password it would stay open
    throw error;
  }
  return {
    send: async ({ from, to, size }, message, signal) => {
      const info = await step<SMTPConnectionInfo>(signal, (done) =>
        connection.send({ from, to: [to], size }, message, done),
      );
      return info?.response ?? "";
    },
    reset: () =>
      step(AbortSignal.timeout(connectTimeoutMs), (done) => connection.reset(done)).then(
        () => !isOver,
        () => false,
      ),
    isOver: () => isOver,
    quit: () => connection.quit(),
    close: () => connection.close(),
  };
}

type Named = { name?: string | undefined; ca?: string | undefined };

const optionsFor = ({ host, port, tls }: SmtpServer, { name, ca }: Named): SMTPConnection.Options => ({
  host,
  port,
  name,
  secure: tls === "implicit",
  requireTLS: tls === "required",
  ignoreTLS: tls === "none",
  tls: { rejectUnauthorized: true, minVersion: "TLSv1.2", ...(ca && { ca }) },
  connectionTimeout: connectTimeoutMs,
  greetingTimeout: connectTimeoutMs,
  dnsTimeout: connectTimeoutMs,
  socketTimeout: silenceMs,
  maxResponseSize: 10_000,
  transactionLog: true, // the log is nowhere written: each entry is a reply or a command
});

/** Steps (see `stepsOf`) that a server cannot drag out: its replies are counted, and their bytes. */
function boundedSteps(connection: SMTPConnection, countReplies: () => number) {
  const step = stepsOf(connection);
  const bytesRead = () => (connection._socket ? connection._socket.bytesRead : 0);
  const bounded: typeof step = (signal, work) => {
    const [firstReply, firstByte] = [countReplies(), bytesRead()];
    const measuring = setInterval(() => {
      if (countReplies() - firstReply <= maxReplies && bytesRead() - firstByte <= maxReplyBytes) return;
      connection.emit("error", new Error("The server does not stop replying"));
      connection.close();
    }, measureMs);
    return step(signal, work).finally(() => clearInterval(measuring));
  };
  return bounded;
}

type SMTPConnectionInfo = { response?: string };

/** Turns a callback into a promise that is also rejected if the connection ends, or on abort. */
const stepsOf =
  (connection: SMTPConnection) =>
  <T>(signal: AbortSignal, work: (done: (error?: Error | null, result?: T) => void) => void) =>
    new Promise<T | undefined>((resolve, reject) => {
      const ended = () => queueMicrotask(() => reject(new Error("The connection was closed"))); // later, so that a better reason comes first
      const aborted = () => {
        reject(new Error("It took too long, or the server is stopping"));
        connection.close();
      };
      const settle = (end: () => void) => {
        connection.off("error", reject).off("end", ended);
        signal.removeEventListener("abort", aborted);
        end();
      };
      connection.once("error", reject).once("end", ended);
      signal.addEventListener("abort", aborted, { once: true });
      if (signal.aborted) return aborted();
      work((error, result) => settle(() => (error ? reject(error) : resolve(result))));
    });
