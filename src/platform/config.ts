import { errorCode } from "./log";
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { hourMs } from "../../db/lib/time";
import { emailAddress } from "./text/email-address";
import { prepareDataDir, unusable } from "./data-dir";
import {
  backupUrl,
  baseUrl,
  bucketName,
  bounceAddress,
  byteSize,
  hostNames,
  mailboxUrl,
  mailer,
  nodeOrigin,
  origin,
  origins,
  period,
  postgresUrl,
  previousSecrets,
  proxies,
  sender,
  webhookSecrets,
  webUrl,
} from "./config-fields";
import { isSmtpUrl } from "./mail-urls";

const Environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number")
    .transform(Number)
    .pipe(z.number().max(65_535, "must be a port number"))
    .default(3000),
  WORKERS: z.never("is no longer supported: one process serves everything. Remove it").optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_POOL: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "must be a number of connections, 1 to 999")
    .transform(Number)
    .default(10),
  DATA_DIR: z.string().default("./data"),
  BASE_URL: baseUrl.optional(),
  BLOG_URL: webUrl.optional(),
  APP_SECRET: z.string().min(32, "must be at least 32 characters long").optional(),
  APP_SECRET_PREVIOUS: previousSecrets.default([]),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/, "must be 1 to 20 lower-case letters or digits")
    .default("site"),
  MAILER_API_KEY: mailer.optional(),
  MAILER_WEBHOOK_SECRET: webhookSecrets.default([]),
  BOUNCE_MAILBOX: mailboxUrl.optional(),
  BOUNCE_ADDRESS: bounceAddress.optional(),
  MAIL_FROM: sender.default("Postroom <postroom@localhost>"),
  OWNER_EMAIL: emailAddress.optional(),
  TRUSTED_PROXIES: proxies.default(() => proxies.parse("loopback")),
  CORS_ORIGINS: origins.default([]),
  MANAGER_EMAIL: emailAddress.optional(),
  MANAGER_PASSWORD: z.string().min(12, "must be 12 to 128 characters long").max(128).optional(),
  MINIO_ENDPOINT: nodeOrigin.optional(),
  MINIO_REGION: z.string().default("us-east-1"),
  MINIO_BUCKET: bucketName.default("postroom"),
  MINIO_ACCESS_KEY: z.string().optional(),
  MINIO_SECRET_KEY: z.string().optional(),
  MINIO_PUBLIC_ENDPOINT: nodeOrigin.optional(),
  MINIO_CAPACITY: byteSize.default(1e12),
  MINIO_MAX_PUT: byteSize.optional(),
  BACKUP_URL: backupUrl.optional(),
  BACKUP_EVERY: period.default(6 * hourMs),
  RESEND_BASE_URL: webUrl.optional(),
  WEBHOOK_PRIVATE_HOSTS: hostNames.default(new Set<string>()),
  METRICS_TOKEN: z.string().min(16, "must be at least 16 characters long").optional(),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "must be debug, info, warn, error or silent")
    .default("info"),
  NODE_ENV: z
    .enum(["development", "production", "test"], "must be production, development or test")
    .default("development"),
});

/** The names of all variables that are read. */
export const variables: readonly string[] = Environment.keyof().options;

/** What owners may set in the dashboard, where the environment does not. */
const Settables = Environment.pick({
  MAILER_API_KEY: true,
  MAIL_FROM: true,
  OWNER_EMAIL: true,
  BLOG_URL: true,
  CORS_ORIGINS: true,
  BACKUP_URL: true,
  BACKUP_EVERY: true,
});
export const settables = Settables.keyof().options;
export type Settable = (typeof settables)[number];

export type Config = ReturnType<typeof loadConfig>;

/**
 * The only reader of the environment (D3). Empty variables count as absent. Creates DATA_DIR, and in it the secret
 * (mode 0600) if APP_SECRET is not set.
 *
 * @param mayWrite otherwise nothing is created, and a secret that does not exist yet is empty
 * @throws ConfigError naming each invalid variable, never its value
 */
export function loadConfig(env: Record<string, string | undefined> = process.env, mayWrite = true) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = Environment.safeParse(present, { jitless: true }); // read once: not worth compiling
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((i) => `${i.path[0]?.toString()} ${i.message}`));

  const values = parsed.data;
  const problems = contradictions(values);
  if (problems.length) throw new ConfigError(problems);

  const BASE_URL = values.BASE_URL ?? `http://localhost:${values.PORT}`;
  const BLOG_URL = values.BLOG_URL ?? BASE_URL;
  return {
    ...values,
    BASE_URL,
    BLOG_URL,
    /** Whether posts have pages anywhere: Postroom itself shows none. */
    hasBlog: values.BLOG_URL !== undefined,
    APP_SECRET: values.APP_SECRET ?? (mayWrite ? secretFrom : existingSecret)(values.DATA_DIR),
    /** The file with the secret; undefined if it is in the environment. */
    secretFile: values.APP_SECRET === undefined ? join(values.DATA_DIR, "secret") : undefined,
    CORS_ORIGINS: new Set([origin(BASE_URL), origin(BLOG_URL), ...values.CORS_ORIGINS]),
    /** Those of the variable alone. */
    moreOrigins: values.CORS_ORIGINS,
    /** What the environment says, so that the dashboard cannot. */
    inEnvironment: new Set(settables.filter((name) => name in present)),
    /** What may be a mistake, for the operator. Values are not named. */
    warnings: [...namesInDoubt(present, variables), ...[senderWarning(values) ?? []].flat()],
    isHttps: BASE_URL.startsWith("https:"),
    /** Whether the development storage may be used: files on one machine are of no use to several. */
    mayEmbedStorage: values.NODE_ENV !== "production" && !values.DATABASE_URL,
  };
}

/** Returns what is wrong with a value for a variable; undefined if it can be used. */
export function variableProblem(config: Config, name: Settable, value: string): string | undefined {
  const { error } = Settables.shape[name].safeParse(value);
  if (error) return error.issues[0]?.message;
  const problem = name === "MAILER_API_KEY" && keyProblem({ ...config, MAILER_API_KEY: value });
  return problem ? problem.replace(/^MAILER_API_KEY /, "") : undefined;
}

/** Sets the variables that the environment does not, in place. Those without a valid value get their default. */
export function applyVariables(config: Config, stored: Partial<Record<Settable, string>>): void {
  const valid = Object.fromEntries(
    settables.flatMap((name) => {
      const value = stored[name];
      return value === undefined || variableProblem(config, name, value) ? [] : [[name, value]];
    }),
  );
  const values = Settables.parse(valid, { jitless: true });
  for (const name of settables)
    if (name !== "CORS_ORIGINS" && !config.inEnvironment.has(name))
      Object.assign(config, { [name]: values[name] ?? defaultOf(config, name) });
  if (!config.inEnvironment.has("CORS_ORIGINS")) config.moreOrigins = values.CORS_ORIGINS;
  if (!config.inEnvironment.has("BLOG_URL")) config.hasBlog = values.BLOG_URL !== undefined;
  config.CORS_ORIGINS.clear();
  for (const each of [origin(config.BASE_URL), origin(config.BLOG_URL), ...config.moreOrigins])
    config.CORS_ORIGINS.add(each);
}

/** From now on, no email leaves this process, whatever the environment or an owner says. */
export function simulateEmails(config: Pick<Config, "MAILER_API_KEY">): void {
  config.MAILER_API_KEY = undefined;
}

const defaultOf = ({ BASE_URL }: Config, name: Settable) => (name === "BLOG_URL" ? BASE_URL : undefined);

/** The URL of the shared database alone, for commands that need no other setting. Empty without one. */
export const databaseUrl = (env: Record<string, string | undefined> = process.env): string => env.DATABASE_URL ?? "";

/** Where the service on this machine listens: an origin, for a command that needs no other setting. */
export function listenAddress(env: Record<string, string | undefined> = process.env): string {
  const { HOST = "127.0.0.1", PORT = "3000" } = env;
  const host = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}

/** Variables that are valid, but not together. */
function contradictions(values: z.output<typeof Environment>): string[] {
  const storage = [values.MINIO_ENDPOINT, values.MINIO_ACCESS_KEY, values.MINIO_SECRET_KEY];
  const conflicts: [isWrong: boolean, problem: string][] = [
    [
      storage.some(Boolean) && !storage.every(Boolean),
      "MINIO_ENDPOINT, MINIO_ACCESS_KEY and MINIO_SECRET_KEY must be set together",
    ],
    [
      Boolean(values.DATABASE_URL) && !values.APP_SECRET,
      "APP_SECRET must be set, to the same value for every process, where DATABASE_URL is set",
    ],
    [
      Boolean(values.DATABASE_URL && values.BACKUP_URL),
      "BACKUP_URL copies the database in DATA_DIR. Remove it, and back up the database of DATABASE_URL with its own tools",
    ],
    [
      Boolean(values.MANAGER_EMAIL) !== Boolean(values.MANAGER_PASSWORD),
      "MANAGER_EMAIL and MANAGER_PASSWORD must be set together",
    ],
  ];
  return [
    ...conflicts.filter(([isWrong]) => isWrong).map(([, problem]) => problem),
    ...[keyProblem(values) ?? []].flat(),
  ];
}

/** Its message is for the operator: one line, or one for each of several problems. */
export class ConfigError extends Error {
  override name = "ConfigError";

  constructor(problems: string[]) {
    const [only] = problems;
    super(
      problems.length === 1
        ? `The configuration is not valid: ${only}`
        : `The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
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
    if (errorCode(error) !== "EEXIST") throw unusable(dataDir, error);
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = existingSecret(dataDir);
  if (secret.length < 32)
    throw new ConfigError([`The secret file in DATA_DIR is damaged. Restore it, or set APP_SECRET`]);
  return secret;
}

/** @throws a message for the operator if this user may not read it */
function existingSecret(dataDir: string): string {
  const file = join(dataDir, "secret");
  try {
    return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  } catch (error) {
    throw unusable(dataDir, error, file);
  }
}

type Env = Record<string, string | undefined>;

/**
 * Names that are probably a mistake, but may also be variables of another program: the service starts, and says so.
 *
 * @param variables the names of all that are read
 */
function namesInDoubt(env: Env, variables: readonly string[]): string[] {
  const all = variables.map((variable) => ({ variable, spelling: letters(variable) })); // once: a start compares thousands
  return Object.keys(env).flatMap((name) => {
    if (variables.includes(name)) return [];
    const own = letters(name);
    const meant = all.find(
      ({ variable, spelling }) => own === spelling || (variable.length >= minLength && differInOne(own, spelling)),
    )?.variable;
    return meant && !env[meant] ? [`${name} is not a variable of Postroom. Did you mean ${meant}?`] : [];
  });
}

const minLength = 8; // shorter names resemble too many others

/** The name without its case and separators. */
const letters = (name: string) => name.toUpperCase().replaceAll(/[^A-Z\d]/g, "");

/** Whether one letter was added, left out, replaced or swapped with the next. */
function differInOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [first, second] = [a.slice(same), b.slice(same)];
  const isSwapped = first[0] === second[1] && first[1] === second[0] && first.slice(2) === second.slice(2);
  return isSwapped || first.slice(1) === second || first === second.slice(1) || first.slice(1) === second.slice(1);
}

type Mail = { MAILER_API_KEY?: string | undefined; MAIL_FROM: string; RESEND_BASE_URL?: string | undefined };

/** What is wrong with the key, whose form is Resend's own unless RESEND_BASE_URL names another server. */
function keyProblem({ MAILER_API_KEY: key, RESEND_BASE_URL }: Mail): string | undefined {
  if (!key || RESEND_BASE_URL || isSmtpUrl(key) || key.startsWith("re_")) return undefined;
  return "MAILER_API_KEY must be a Resend API key (re_…), or an smtp:// or smtps:// URL";
}

/** The default sender is of no use at Resend, which sends only from domains that it has verified. */
function senderWarning({ MAILER_API_KEY: key, MAIL_FROM, RESEND_BASE_URL }: Mail): string | undefined {
  if (!key || RESEND_BASE_URL || isSmtpUrl(key) || !/@localhost>?$/.test(MAIL_FROM)) return undefined;
  return "MAIL_FROM is an address at localhost, from which Resend sends nothing.";
}
