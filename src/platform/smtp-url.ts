import { ipVersion } from "./ip-address";
import { hostOf, isIn, isThisMachine, networks } from "./networks";

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
  const login = username ? decoded(username, password) : undefined;
  if (login === null) return "must have every % in user and password written as %25";
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

function decoded(user: string, password: string): SmtpServer["login"] | null {
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return null;
  }
}
