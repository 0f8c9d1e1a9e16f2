import { hostOf, isThisMachine } from "./networks";

/** Where delivery reports and answers arrive. */
export type MailboxServer = {
  host: string;
  port: number;
  isEncrypted: boolean;
  user: string;
  password: string;
  folder: string;
};

/**
 * Reads `imaps://user:password@host/INBOX`; `imap://` is for a server on this machine alone. If something is wrong,
 * returns a sentence for the operator, which never repeats the text, because that contains a password.
 */
export function readMailboxUrl(text: string): MailboxServer | string {
  if (!/^imaps?:\/\//i.test(text) || !URL.canParse(text))
    return "must be imaps://user:password@host/INBOX, with special characters of user and password as %40, %2F and so on";
  const url = new URL(text);
  const host = hostOf(url);
  if (!host) return "must name a host";
  const { protocol, username, password, port, pathname, search, hash } = url;
  if (search || hash) return "must have nothing after the folder";
  if (!username || !password) return "must have a user and a password";
  const isEncrypted = protocol === "imaps:";
  if (!isEncrypted && !isThisMachine(host))
    return "must begin with imaps://: without encryption only a server on this machine is read";
  const parts = decoded(username, password, pathname.slice(1));
  if (!parts) return "must have every % written as %25";
  const [user = "", secret = "", folder = ""] = parts;
  if (/\p{Cc}/u.test(user + secret)) return "must have no control characters in user and password";
  if (!/^[ -~]{0,200}$/.test(folder)) return "must name a folder in ASCII";
  return {
    host,
    port: Number(port || (isEncrypted ? 993 : 143)),
    isEncrypted,
    user,
    password: secret,
    folder: folder || "INBOX",
  };
}

function decoded(...texts: string[]): string[] | undefined {
  try {
    return texts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** How the mailbox is called in the database and in the dashboard: without its password. */
export const mailboxName = ({ user, host, folder }: MailboxServer) =>
  `${user.includes("@") ? user : `${user}@${host}`}, ${folder}`;
