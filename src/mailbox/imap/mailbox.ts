import { redactor } from "../../mail/provider";
import type { MailboxServer } from "../../platform/mailbox-url";
import { maxBytes } from "../mime";
import { Connection, type How, Refused } from "./connection";
import { codeIn, type Fetched, fetchedIn, uidsIn } from "./responses";

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
    throw new Error(redact(error instanceof Error ? error.message : String(error)));
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
