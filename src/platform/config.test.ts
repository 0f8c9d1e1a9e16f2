import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, loadConfig } from "./config";
import { byteSize } from "./config-fields";

const APP_SECRET = "a-secret-of-at-least-32-characters";
const folder = mkdtempSync(join(tmpdir(), "postroom-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

const problem = (env: Record<string, string>): string => {
  try {
    loadConfig({ APP_SECRET, ...env });
    return "none";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
};

test("with nothing set, the defaults of D3 hold", () => {
  const config = loadConfig({ APP_SECRET });
  expect(config).toMatchObject({
    HOST: "127.0.0.1",
    PORT: 3000,
    DATA_DIR: "./data",
    BASE_URL: "http://localhost:3000",
    BLOG_URL: "http://localhost:3000",
    KEY_PREFIX: "site",
    LOG_LEVEL: "info",
    isHttps: false,
  });
  expect([...config.CORS_ORIGINS]).toEqual(["http://localhost:3000"]);
});

test("an empty variable is an absent one, and BASE_URL loses its last slash", () => {
  const config = loadConfig({ APP_SECRET, PORT: "", BLOG_URL: "", BASE_URL: "https://example.com/" });
  expect(config).toMatchObject({ PORT: 3000, BASE_URL: "https://example.com", BLOG_URL: "https://example.com" });
  expect(config.isHttps).toBe(true);
});

test.each<[variable: string, value: string]>([
  ["PORT", "eighty-secret"],
  ["PORT", "70000"],
  ["BASE_URL", "secret.example"],
  ["BASE_URL", "https://example.com/?secret=1"],
  ["BASE_URL", "https://me:secret@example.com"],
  ["BASE_URL", "https://example.com/secret/"],
  ["APP_SECRET_PREVIOUS", "secret"],
  ["APP_SECRET_PREVIOUS", "a-previous-one-of-at-least-32-characters,secret"],
  ["MAILER_API_KEY", "sk_secret_123"],
  ["NODE_ENV", "secret"],
  ["BLOG_URL", "ftp://secret.example"],
  ["MAIL_FROM", "secret"],
  ["MAIL_FROM", "Secret <a@example.com>\nBcc: secret@example.com"],
  ["APP_SECRET", "too-short-secret"],
  ["KEY_PREFIX", "Secret_Prefix"],
  ["OWNER_EMAIL", "secret-at-example"],
  ["TRUSTED_PROXIES", "secret-proxy"],
  ["TRUSTED_PROXIES", "10.0.0.0/"],
  ["TRUSTED_PROXIES", "10.0.0.0/33"],
  ["TRUSTED_PROXIES", "10.0.0/8"],
  ["TRUSTED_PROXIES", "10.0.0.0/8/9"],
  ["CORS_ORIGINS", "*"],
  ["CORS_ORIGINS", "mailto:secret@example.com"],
  ["CORS_ORIGINS", "https://*.secret.example"],
  ["CORS_ORIGINS", "https://me:secret@example.com"],
  ["RESEND_BASE_URL", "secret.example:8080"],
  ["RESEND_BASE_URL", "https://secret.example/?key=1"],
  ["WEBHOOK_PRIVATE_HOSTS", "*.secret"],
  ["MINIO_ENDPOINT", "secret:9000:1"],
  ["MINIO_ENDPOINT", "http://secret.example/path"],
  ["MINIO_PUBLIC_ENDPOINT", "https://_secret"],
  ["MINIO_BUCKET", "secret..bucket"],
  ["MINIO_CAPACITY", "secret GB"],
  ["MINIO_MAX_PUT", "secret GB"],
  ["BACKUP_URL", "https://key:secret@s3.example.com/bucket"],
  ["BACKUP_URL", "s3://secret@s3.example.com/bucket"],
  ["BACKUP_URL", "s3://key:secret@s3.example.com"],
  ["BACKUP_URL", "s3://key:secret%@s3.example.com/bucket"],
  ["BACKUP_URL", "s3://key:secret@s3.example.com/bucket/u/copies"],
  ["BACKUP_EVERY", "6"],
  ["BACKUP_EVERY", "5m"],
  ["BACKUP_EVERY", "32d"],
  ["METRICS_TOKEN", "secret"],
  ["LOG_LEVEL", "secret"],
])("an invalid %s is named without its value: %s", (variable, value) => {
  const message = problem({ [variable]: value });
  expect(message).toContain(variable);
  expect(message).not.toContain("secret");
  if (value.length > 1) expect(message.replace("http(s)", "")).not.toContain(value);
});

test("all invalid variables are named together", () => {
  const message = problem({ PORT: "x", KEY_PREFIX: "X", LOG_LEVEL: "x" });
  for (const name of ["PORT", "KEY_PREFIX", "LOG_LEVEL"]) expect(message).toContain(name);
});

test("several problems are a line each", () => {
  expect(problem({ PORT: "x", KEY_PREFIX: "X" })).toBe(
    "The configuration is not valid:\n  PORT must be a port number\n  KEY_PREFIX must be 1 to 20 lower-case letters or digits",
  );
  const alone = { MINIO_ENDPOINT: "http://localhost:9000", MANAGER_EMAIL: "a@example.com", MAILER_API_KEY: "sk_1" };
  expect(problem(alone).split("\n")).toHaveLength(4);
});

test.each<[name: string, meant: string]>([
  ["BASEURL", "BASE_URL"],
  ["base_url", "BASE_URL"],
  ["MAIL-FROM", "MAIL_FROM"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["APP_SECERT", "APP_SECRET"],
  ["DATABASSE_URL", "DATABASE_URL"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["CORS_ORIGIN", "CORS_ORIGINS"],
])("%s may be another program's, so the start continues and asks whether %s was meant", (name, meant) => {
  const { warnings } = loadConfig({ APP_SECRET: "", DATA_DIR: join(folder, "near"), [name]: "a-secret-value" });
  expect(warnings).toEqual([`${name} is not a variable of Postroom. Did you mean ${meant}?`]);
});

test("variables of other programs, empty ones, and those whose neighbour is set cause no warning", () => {
  const others = { HOME: "/root", POST: "1", HOSTNAME: "a", LOG_FILE: "x", BASEURL: "", NODE_OPTIONS: "-v", DATA: "x" };
  const both = { BASE_URL: "https://example.com", BASEURL: "https://other.example" };
  expect(loadConfig({ APP_SECRET, ...others, ...both }).warnings).toEqual([]);
});

test("a Resend key needs a sender that Resend accepts; other servers may accept any key and sender", () => {
  const warnings = (env: Record<string, string>) => loadConfig({ APP_SECRET, ...env }).warnings;
  const MAILER_API_KEY = "re_test_0123456789";
  expect(warnings({ MAILER_API_KEY })).toEqual([
    "MAIL_FROM is an address at localhost, from which Resend sends nothing.",
  ]);
  expect(warnings({ MAILER_API_KEY, MAIL_FROM: "Ada <ada@example.com>" })).toEqual([]);
  expect(warnings({ MAILER_API_KEY: "any", RESEND_BASE_URL: "http://localhost:9" })).toEqual([]);
  expect(warnings({ MAILER_API_KEY: "smtp://localhost:25" })).toEqual([]);
});

test("BASE_URL is an origin, as browsers write it; BLOG_URL may have a path", () => {
  const env = { BASE_URL: "HTTPS://Example.com:443/", BLOG_URL: "https://example.com/blog/" };
  const { BASE_URL, BLOG_URL, isHttps } = loadConfig({ APP_SECRET, ...env });
  expect([BASE_URL, BLOG_URL, isHttps]).toEqual(["https://example.com", "https://example.com/blog", true]);
});

test.each(["1", "2"])("WORKERS=%s, which was removed, stops the start with an explanation", (value) => {
  expect(problem({ WORKERS: value })).toContain("WORKERS is no longer supported");
});

test("variables that belong together must be set together", () => {
  expect(problem({ MINIO_ENDPOINT: "http://localhost:9000" })).toContain("MINIO_SECRET_KEY");
  expect(problem({ MANAGER_EMAIL: "a@example.com" })).toContain("MANAGER_PASSWORD");
});

test("with a shared database, APP_SECRET must be set, DATA_DIR is left alone, and no URL is ever named", () => {
  const DATABASE_URL = "postgres://postroom:hunter2@db.example/postroom";
  const text = problem({ DATABASE_URL, APP_SECRET: "" });
  expect(text).toContain("APP_SECRET must be set");
  expect(text).not.toContain("hunter2");
  expect(problem({ DATABASE_URL: "mysql://root:hunter2@db.example/x" })).not.toContain("hunter2");
  const badPassword = problem({ DATABASE_URL: "postgres://postroom:hunter2%@db.example/x" });
  expect([badPassword.includes("hunter2"), badPassword.includes("as %25")]).toEqual([false, true]);
  expect(existsSync(join(folder, "data"))).toBe(false);
  expect(loadConfig({ DATABASE_URL, APP_SECRET: "x".repeat(32) }).mayEmbedStorage).toBe(false);
});

test("without APP_SECRET one is generated, readable only by its user, and kept", () => {
  const DATA_DIR = join(folder, "fresh");
  const first = loadConfig({ DATA_DIR });
  expect(first.APP_SECRET).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(join(DATA_DIR, "secret")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(DATA_DIR, "secret"), "utf8")).toBe(first.APP_SECRET);
  expect(loadConfig({ DATA_DIR }).APP_SECRET).toBe(first.APP_SECRET);
});

test("a damaged secret file stops the start: a new one would break every link sent", () => {
  const DATA_DIR = join(folder, "damaged");
  mkdirSync(DATA_DIR);
  writeFileSync(join(DATA_DIR, "secret"), "");
  expect(() => loadConfig({ DATA_DIR })).toThrow(ConfigError);
});

test.each([
  ["1000", 1000],
  ["500GB", 500e9],
  ["2TiB", 2 * 2 ** 40],
  ["1.5 mb", 1.5e6],
  ["3k", 3000],
])("%s is %d bytes", (text, bytes) => {
  expect(byteSize.parse(text)).toBe(bytes);
});

test("BACKUP_URL names a server, a bucket, its keys and a prefix", () => {
  const { BACKUP_URL, BACKUP_EVERY } = loadConfig({
    APP_SECRET,
    BACKUP_URL: "s3://key:a%2Fb%2Bc@s3.example.com:9000/bucket/site/copies?region=eu-west-1",
    BACKUP_EVERY: "1d",
  });
  expect(BACKUP_URL).toEqual({
    endpoint: "https://s3.example.com:9000",
    region: "eu-west-1",
    bucket: "bucket",
    accessKey: "key",
    secretKey: "a/b+c",
    prefix: "site/copies/",
  });
  expect(BACKUP_EVERY).toBe(86_400_000);
  const plain = loadConfig({ APP_SECRET, BACKUP_URL: "s3+http://key:secret@127.0.0.1:9000/bucket" }).BACKUP_URL;
  expect(plain).toMatchObject({ endpoint: "http://127.0.0.1:9000", prefix: "", region: "us-east-1" });
});

test("BACKUP_URL does not go with a shared database, which is not in DATA_DIR", () => {
  const BACKUP_URL = "s3://key:secret@s3.example.com/bucket";
  expect(problem({ BACKUP_URL, DATABASE_URL: "postgres://localhost/postroom" })).toContain("BACKUP_URL");
});
