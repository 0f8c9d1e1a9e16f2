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
  ["MINIO_ENDPOINT", "secret:9000:1"],
  ["MINIO_ENDPOINT", "http://secret.example/path"],
  ["MINIO_PUBLIC_ENDPOINT", "https://_secret"],
  ["MINIO_BUCKET", "secret..bucket"],
  ["MINIO_CAPACITY", "secret GB"],
  ["MINIO_MAX_PUT", "secret GB"],
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
