import { z } from "zod";
import { dayMs, hourMs } from "../../db/lib/time";
import { isSmtpUrl, readMailboxUrl, readSmtpUrl } from "./mail-urls";
import { type Network, networkOf } from "./networks";
import { isSecret } from "./webhook-signature";

/* What the variables of the environment may say. */

export const origin = (value: string) => new URL(value).origin;
/** The URL of another program, perhaps below a path, to which paths are appended. */
export const webUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL", abort: true })
  .refine((value) => !/[?#@\s]/.test(value), "must be a URL without user name, query or fragment")
  .transform((value) => new URL(value).href.replace(/\/+$/, ""));
/** Our own pages link to each other by absolute paths, so they cannot be below one. */
export const baseUrl = webUrl
  .refine((value) => value === origin(value), "must be a URL without a path: Postroom needs a host name of its own")
  .transform(origin);
/** The URL of a PostgreSQL database. User and password are decoded when it is opened. */
export const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" })
  .refine(isDecodable, "must have every % in user and password written as %25");

function isDecodable(url: string): boolean {
  try {
    return Boolean(decodeURIComponent(url));
  } catch {
    return false;
  }
}

/** "ada@example.com" or "Ada <ada@example.com>". */
export const sender = z
  .string()
  .regex(
    /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'must be an email address or "Name <address>"',
  );
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);
/** Sites whose pages may call us. Browsers compare whole origins, so a pattern would allow no one. */
export const origins = list.pipe(
  z.array(
    z
      .url({ protocol: /^https?$/, error: "must be a comma-separated list of origins", abort: true })
      .refine((url) => !/[*@]/.test(url), "must be a list of whole origins, without * and user names")
      .transform(origin),
  ),
);
/** Earlier values of APP_SECRET, so the same minimum length. */
export const previousSecrets = list.refine(
  (secrets) => secrets.every((secret) => secret.length >= 32),
  "must be at least 32 characters long each, separated by commas",
);
/** Secrets of the email provider's webhooks: two while they are rotated. */
export const webhookSecrets = list.refine(
  (secrets) => secrets.length <= 5 && secrets.every(isSecret),
  "must be up to five secrets whsec_…, separated by commas",
);
/** Names or addresses of hosts, as URLs write them. They are compared whole, so a pattern would be none of them. */
export const hostNames = list.transform((names, context) => {
  const hosts = names.map((name) => (URL.canParse(`http://${name}`) ? new URL(`http://${name}`) : undefined));
  if (hosts.every((url) => url?.href === `http://${url?.hostname}/` && !url.hostname.includes("*")))
    return new Set(hosts.map((url) => `${url?.hostname}`));
  context.addIssue({ code: "custom", message: "must be a comma-separated list of host names or IP addresses" });
  return z.NEVER;
});
const units = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 };

/** A number of bytes as people write it: "500GB", "2TiB", "1000". */
export const byteSize = z
  .string()
  .regex(/^\d+(\.\d+)?\s*([KMGT]i?)?B?$/i, "must be a number of bytes or a size such as 500GB")
  .transform((value) => {
    const [, number = "0", unit = ""] = /^([\d.]+)\s*([KMGT]?I?B?)$/.exec(value.toUpperCase()) ?? [];
    const name = (unit.endsWith("B") ? unit : `${unit}B`) as keyof typeof units;
    return Math.floor(Number(number) * units[name]);
  });

/**
 * The endpoint of a storage node: scheme, host and port. A path would be dropped silently, so it is rejected. The host
 * may contain only what names and addresses consist of: it goes into the policy of pages, where * would be any host and
 * ; the next rule, and into commands that people copy into a shell.
 */
export const nodeOrigin = z
  .string({ error: "is required" })
  .trim()
  .pipe(z.url({ protocol: /^https?$/, error: "must be an http(s) URL", abort: true }))
  .transform((url, context) => {
    const { origin, hostname, href } = new URL(url);
    if (!/^([a-z\d]([\w.-]*[a-z\d.])?|\[[\da-f:.]+\])$/.test(hostname))
      context.addIssue({ code: "custom", message: "must be a host name or IP address" });
    else if (href !== `${origin}/`)
      context.addIssue({ code: "custom", message: "must contain only scheme, host and port" });
    return origin;
  });

/** A bucket name that S3 servers accept: nothing that looks like an IP address. */
export const bucketName = z
  .string({ error: "is required" })
  .trim()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be 3 to 63 lower-case letters, digits, dots or hyphens")
  .refine(
    (name) => !/\.\.|\d+\.\d+\.\d+\.\d+/.test(name),
    "must not contain two consecutive dots or look like an IP address",
  );

/** "loopback", "none", or addresses and CIDR ranges of the proxies whose X-Forwarded-For is trusted (D30). */
export const proxies = z.string().transform((value, context): readonly Network[] => {
  const ranges = value === "none" ? "" : value === "loopback" ? "127.0.0.0/8,::1" : value;
  const networks = ranges
    .split(",")
    .filter(Boolean)
    .map((range) => networkOf(range.trim()));
  if (networks.every((network) => network !== undefined)) return networks;
  context.addIssue({ code: "custom", message: 'must be "loopback", "none" or a list of CIDR ranges' });
  return z.NEVER;
});

/** A key of Resend, or an SMTP URL. A URL of another kind is not taken for a key. */
export const mailer = z.string().superRefine((value, context) => {
  const problem = isSmtpUrl(value)
    ? readSmtpUrl(value)
    : value.includes("://")
      ? "must be a Resend API key, or an smtp:// or smtps:// URL"
      : {};
  if (typeof problem === "string") context.addIssue({ code: "custom", message: problem });
});

/** The IMAP mailbox in which reports and answers arrive. */
export const mailboxUrl = z.string().superRefine((value, context) => {
  const problem = readMailboxUrl(value);
  if (typeof problem === "string") context.addIssue({ code: "custom", message: problem });
});

/** "bounces+{}@example.com": 64 characters before the @ with what replaces the braces. */
export const bounceAddress = z
  .string()
  .regex(
    /^[\w.+-]{0,20}\{\}[\w.+-]{0,5}@[a-z\d]([a-z\d.-]{0,200}[a-z\d])?$/i,
    "must be an address with {} in its first part, such as bounces+{}@example.com",
  );

/** A bucket of an S3 server, and where copies are in it. */
export type BackupPlace = {
  endpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** Ends with a slash; empty for the whole bucket. */
  prefix: string;
  /** A missing bucket then means that the disk is missing. */
  holdsFiles?: boolean;
};

/**
 * "s3://key:secret@host/bucket/prefix?region=…", s3+http: for a server on the same machine or network, or the name of a
 * storage node, "node:attic". The embedded node is in DATA_DIR, with which it would be lost.
 */
export const backupUrl = z.string().transform((value, context): BackupPlace | { node: string } => {
  const [, node] = /^node:(?!embedded$)(.{1,50})$/.exec(value) ?? [];
  if (node) return { node };
  const url = /^s3(\+http)?:\/\//.test(value) && isDecodable(value) && URL.canParse(value) ? new URL(value) : undefined;
  const [bucket = "", ...folders] = decodeURIComponent(url?.pathname ?? "")
    .split("/")
    .slice(1);
  const prefix = folders
    .filter(Boolean)
    .map((folder) => `${folder}/`)
    .join("");
  const endpoint = nodeOrigin.safeParse(`http${url?.protocol === "s3:" ? "s" : ""}://${url?.host}`).data;
  if (
    url?.username &&
    url.password &&
    endpoint &&
    bucketName.safeParse(bucket).success &&
    /^(?!u\/)[\w./-]*$/.test(prefix)
  ) {
    const [accessKey, secretKey] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return { endpoint, region: url.searchParams.get("region") || "us-east-1", bucket, accessKey, secretKey, prefix };
  }
  context.addIssue({
    code: "custom",
    message:
      value === "node:embedded"
        ? "must be another storage node: embedded is in the data directory, and would be lost with it"
        : "must be s3://KEY:PASSWORD@host/bucket/prefix, with / in the password written as %2F, or node:NAME for a storage node",
  });
  return z.NEVER;
});

const periods = { m: 60_000, h: hourMs, d: dayMs };

/** A time between copies: "30m", "6h" or "1d", from 15 minutes to 31 days. In milliseconds. */
export const period = z.string().transform((value, context) => {
  const [, count, unit = ""] = /^(\d{1,4})([mhd])$/.exec(value) ?? [];
  const milliseconds = Number(count) * (unit === "m" ? periods.m : unit === "h" ? periods.h : periods.d);
  if (milliseconds >= 15 * periods.m && milliseconds <= 31 * periods.d) return milliseconds;
  context.addIssue({ code: "custom", message: "must be a time such as 6h, from 15 minutes to 31 days" });
  return z.NEVER;
});
