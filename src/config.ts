import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { prepareDataDir, unusable } from "./boot/data-dir";

const origin = (value: string) => new URL(value).origin;
const baseUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .refine((value) => !/[?#@\s]/.test(value), "must be a URL without user, query and fragment") // paths are appended to it
  .transform((value) => value.replace(/\/+$/, ""));
/** "ada@example.com" or "Ada <ada@example.com>". */
const sender = z
  .string()
  .regex(/^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u, 'must be an address, or "Name <address>"');
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);
const units = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 };

/** A number of bytes as people write it: "500GB", "2TiB", "1000". */
export const byteSize = z
  .string()
  .regex(/^\d+(\.\d+)?\s*([KMGT]i?)?B?$/i, "must be bytes, or a size such as 500GB")
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
  .pipe(z.url({ protocol: /^https?$/, error: "must be an http or https URL", abort: true }))
  .transform((url, context) => {
    const { origin, hostname, href } = new URL(url);
    if (!/^([a-z\d]([\w.-]*[a-z\d.])?|\[[\da-f:.]+\])$/.test(hostname))
      context.addIssue({ code: "custom", message: "must be the name or the address of a host" });
    else if (href !== `${origin}/`) context.addIssue({ code: "custom", message: "must be scheme, host and port only" });
    return origin;
  });

/** A bucket name that S3 servers accept: nothing that looks like an IP address. */
export const bucketName = z
  .string({ error: "is required" })
  .trim()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must have 3 to 63 lower-case letters, digits, dots and hyphens")
  .refine((name) => !/\.\.|\d+\.\d+\.\d+\.\d+/.test(name), "must not have two dots in a row, nor look like an address");

/** "loopback", "none", or addresses and CIDR ranges of the proxies whose X-Forwarded-For is trusted (D30). */
const proxies = z.string().transform((value, context) => {
  const trusted = new BlockList();
  const ranges = value === "none" ? "" : value === "loopback" ? "127.0.0.0/8,::1" : value;
  for (const range of ranges.split(",").filter(Boolean)) {
    const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range.trim()) ?? [];
    const all = isIP(address) === 6 ? 128 : 32;
    const bits = prefix === undefined ? all : Number(prefix);
    if (isIP(address) && bits <= all) trusted.addSubnet(address, bits, all === 128 ? "ipv6" : "ipv4");
    else context.addIssue({ code: "custom", message: 'must be "loopback", "none" or a list of CIDR ranges' });
  }
  return trusted;
});

const Environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number")
    .transform(Number)
    .pipe(z.number().max(65_535, "must be a port number"))
    .default(3000),
  WORKERS: z.never("is no longer supported: one process serves everything. Remove it").optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" }).optional(),
  DATABASE_POOL: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "must be a number of connections, 1 to 999")
    .transform(Number)
    .default(10),
  DATA_DIR: z.string().default("./data"),
  BASE_URL: baseUrl.optional(),
  BLOG_URL: baseUrl.optional(),
  APP_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  APP_SECRET_PREVIOUS: list.default([]),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/, "must be 1 to 20 lower-case letters or digits")
    .default("site"),
  MAILER_API_KEY: z.string().optional(),
  MAIL_FROM: sender.default("Postroom <postroom@localhost>"),
  OWNER_EMAIL: z.email("must be an e-mail address").optional(),
  TRUSTED_PROXIES: proxies.default(() => proxies.parse("loopback")),
  CORS_ORIGINS: list
    .pipe(z.array(z.url({ protocol: /^https?$/, error: "must be a list of origins" }).transform(origin)))
    .default([]),
  MANAGER_EMAIL: z.email("must be an e-mail address").optional(),
  MANAGER_PASSWORD: z.string().min(12, "must have 12 to 128 characters").max(128).optional(),
  MINIO_ENDPOINT: nodeOrigin.optional(),
  MINIO_REGION: z.string().default("us-east-1"),
  MINIO_BUCKET: bucketName.default("postroom"),
  MINIO_ACCESS_KEY: z.string().optional(),
  MINIO_SECRET_KEY: z.string().optional(),
  MINIO_PUBLIC_ENDPOINT: nodeOrigin.optional(),
  MINIO_CAPACITY: byteSize.default(1e12),
  MINIO_MAX_PUT: byteSize.optional(),
  RESEND_BASE_URL: z.url("must be a URL").optional(),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "must be debug, info, warn, error or silent")
    .default("info"),
  NODE_ENV: z.string().default("development"),
});

export type Config = ReturnType<typeof loadConfig>;

/**
 * The only reader of the environment (D3). Empty variables count as absent. Creates DATA_DIR, and in it the secret
 * (mode 0600) if APP_SECRET is not set.
 *
 * @throws ConfigError naming each invalid variable, never its value
 */
export function loadConfig(env: Record<string, string | undefined> = process.env) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = Environment.safeParse(present, { jitless: true }); // read once: not worth compiling
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((i) => `${i.path[0]?.toString()} ${i.message}`));

  const given = parsed.data;
  const storage = [given.MINIO_ENDPOINT, given.MINIO_ACCESS_KEY, given.MINIO_SECRET_KEY];
  if (storage.some(Boolean) && !storage.every(Boolean))
    throw new ConfigError(["MINIO_ENDPOINT, MINIO_ACCESS_KEY and MINIO_SECRET_KEY must be set together"]);
  if (given.DATABASE_URL && !given.APP_SECRET)
    throw new ConfigError(["APP_SECRET must be set, to the same value for every process, where DATABASE_URL is set"]);
  if (Boolean(given.MANAGER_EMAIL) !== Boolean(given.MANAGER_PASSWORD))
    throw new ConfigError(["MANAGER_EMAIL and MANAGER_PASSWORD must be set together"]);

  const BASE_URL = given.BASE_URL ?? `http://localhost:${given.PORT}`;
  const BLOG_URL = given.BLOG_URL ?? BASE_URL;
  return {
    ...given,
    BASE_URL,
    BLOG_URL,
    APP_SECRET: given.APP_SECRET ?? secretFrom(given.DATA_DIR),
    CORS_ORIGINS: new Set([origin(BASE_URL), origin(BLOG_URL), ...given.CORS_ORIGINS]),
    isHttps: BASE_URL.startsWith("https:"),
    /** Whether the development storage may be used: files on one machine are of no use to several. */
    mayEmbedStorage: given.NODE_ENV !== "production" && !given.DATABASE_URL,
  };
}

export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

/**
 * Two processes that start simultaneously agree: a link appears completely or not at all, and the second process finds
 * it taken.
 */
function secretFrom(dataDir: string): string {
  const file = join(dataDir, "secret");
  const draft = join(dataDir, `secret.${process.pid}`);
  prepareDataDir(dataDir);
  try {
    if (!existsSync(file)) {
      writeFileSync(draft, randomBytes(32).toString("hex"), { mode: 0o600, flush: true });
      linkSync(draft, file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") throw unusable(dataDir, error);
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length < 32)
    throw new ConfigError([`DATA_DIR holds a damaged secret file; restore it, or set APP_SECRET`]);
  return secret;
}
