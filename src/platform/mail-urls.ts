import { hostOf, ipVersion, isIn, isThisMachine, networks } from "./networks";

/** TLS from the first byte, after a mandatory STARTTLS, after STARTTLS if the server offers it, or none. */
type Encryption = "implicit" | "required" | "offered" | "none";

/** How email is handed over by SMTP. */
export type SmtpServer = {
  host: string;
  port: number;
  tls: Encryption;
  login?: { user: string; password: string };
  /** The most connections at the same time. */
  pool: number;
};

export const isSmtpUrl = (text: string): boolean => /^smtps?:/i.test(text);

/**
 * Reads `smtp://user:password@host:587?pool=5` (docs/decisions/configuration.md). If something is wrong, returns a
 * sentence for the operator, which never repeats the text, because that contains a password.
 */
export function readSmtpUrl(text: string): SmtpServer | string {
  if (!URL.canParse(text))
    return "must be a valid URL; write special characters of user and password as %40, %2F and so on";
  const url = new URL(text);
  const host = hostOf(url);
  if (!host) return "must name a host";
  const { protocol, username, password, port, pathname, search, searchParams, hash } = url;
  if (pathname.length > 1 || hash) return "must have nothing after the port but ?pool=";
  const pool = searchParams.get("pool") ?? "5";
  if (search && (searchParams.size !== 1 || !searchParams.has("pool"))) return "must have no parameter other than pool";
  if (!/^([1-9]|1\d|20)$/.test(pool)) return "must have a pool of 1 to 20 connections";
  if (Boolean(username) !== Boolean(password)) return "must have both user and password, or neither";
  const parts = decoded(username, password);
  if (!parts) return "must have every % in user and password written as %25";
  const [user = "", secret = ""] = parts;
  const login = user ? { user, password: secret } : undefined;
  const isImplicit = protocol === "smtps:";
  return {
    host,
    port: Number(port || (isImplicit ? 465 : 587)),
    tls: isImplicit ? "implicit" : tlsFor(host, Boolean(login)),
    ...(login && { login }),
    pool: Number(pool),
  };
}

/** A relay on this machine often has a self-signed certificate, and nothing leaves the machine. */
function tlsFor(host: string, hasLogin: boolean): Encryption {
  if (isThisMachine(host)) return "none";
  return hasLogin && !isPrivate(host) ? "required" : "offered";
}

/** Addresses of private networks, and names that no public network has. */
const isPrivate = (host: string) =>
  ipVersion(host)
    ? isIn(privateNetworks, host)
    : !host.includes(".") || /\.(internal|home\.arpa|lan|local)$/.test(host);

const privateNetworks = networks(
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"],
  ...["fc00::/7", "fe80::/10"],
);

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
