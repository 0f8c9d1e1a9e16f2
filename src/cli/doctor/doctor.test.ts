import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../../db/engine/open";
import { openDb } from "../../../db/open";
import { recordBackup, setBackupRecipient } from "../../../db/ops/backup-state";
import { add as addNode } from "../../../db/storage/nodes/edit";
import { imapServer } from "../../../test/support/mailbox/imap";
import { freePort, temporaryFolder } from "../../../test/support/processes";
import { smtpSink } from "../../../test/support/providers/smtp";
import { doctorToken, isDoctor } from "../../health/doctor-token";
import { useSharedSecret } from "../../boot/shared-secret";
import { setVariable } from "../../../db/variables";
import { sealVariable } from "../../security/variables";
import { clientAddress } from "../../platform/client-address";
import { loadConfig } from "../../platform/config";
import { type ProcessLimits, processLimits } from "../../platform/process-limits";
import { createLog } from "../../platform/log";
import { startEmbeddedNode } from "../../storage/embedded/node";
import { seal } from "../../storage/nodes/access";
import { version } from "../../../package.json";
import { diagnose } from "./doctor";
import type { Tools } from "./finding";
import { milliseconds } from "./machine";

const hourMs = 3_600_000;
const [ext4, nfs] = [0xef53, 0x6969]; // statfs(2)
const base = "https://postroom.example.com";
const by = { actor: "test" };
const secret = "a-secret-of-at-least-32-characters";

/** An installation behind a proxy on the same machine, which appends the address of the visitor, and its neighbours. */
async function installation() {
  const folder = temporaryFolder();
  const DATA_DIR = join(folder.path, "data");
  mkdirSync(DATA_DIR, { mode: 0o700 });
  const file = join(DATA_DIR, "postroom.sqlite");
  const db = await openDb(file);
  await setBackupRecipient(db, "age1x");
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000); // as exact as the Date of a response
  await recordBackup(db, {
    since: 0,
    last: { name: "x", at: now.getTime(), provedAt: now.getTime(), bytes: 1 },
    verifiedAt: now.getTime(),
  });
  const node = await startEmbeddedNode({
    folder: join(folder.path, "s3"),
    port: 0,
    origins: new Set([base]),
    log: createLog("silent"),
  });
  const env: Record<string, string> = {
    DATA_DIR,
    BASE_URL: base,
    PORT: String(freePort()),
    APP_SECRET: secret,
    MAILER_API_KEY: "re_key",
    MAIL_FROM: "Ada <ada@example.com>",
    BACKUP_URL: "s3://key:secret@s3.example.com/bucket",
    MINIO_ENDPOINT: node.endpoint,
    MINIO_ACCESS_KEY: node.accessKey,
    MINIO_SECRET_KEY: node.secretKey,
    MINIO_BUCKET: node.bucket,
  };
  const records: Record<string, string> = {
    "send.example.com": "v=spf1 include:amazonses.com ~all",
    "resend._domainkey.example.com": "p=MIGf",
    "_dmarc.example.com": "v=DMARC1; p=none",
  };
  const world = {
    /** What the proxy makes of X-Forwarded-For. */
    forward: (sent: string | undefined): string | null => [sent, "8.8.8.8"].filter(Boolean).join(", "),
    peer: "127.0.0.1",
    clockAheadMs: 0,
    /** How far ahead that of the storage server is, too. */
    storageAheadMs: 0,
    /** BASE_URL leads to this machine, which has its own clock. */
    isOwnClock: false,
    isOther: false,
    /** Where BASE_URL leads instead. */
    redirectsTo: "",
    certificateDays: 60,
    disk: { free: 5e10, total: 1e11, type: ext4 },
    isClosed: false,
    resendStatus: 200,
    isClockSynchronized: true,
    stopMs: 15_000,
    /** The names with MX records. */
    withMail: ["example.com", "send.example.com"],
    hasDns: true,
    limits: { openFiles: 65_536, memoryBytes: 512 * 2 ** 20, unit: "postroom.service" },
  };
  const tools: Tools = {
    now: () => now,
    ask: async (url, headers = {}) => {
      const dateBehind = (ms: number) => ({ date: new Date(now.getTime() - ms).toUTCString() });
      const aheadMs = world.isOwnClock && url.startsWith(base) ? 0 : world.clockAheadMs;
      const answer = (status: number, body: unknown) => ({
        status,
        headers: new Headers(dateBehind(aheadMs)),
        text: JSON.stringify(body),
      });
      if (url.startsWith("http://127.0.0.1")) {
        const { status, text } = await realAsk(url, headers);
        return { status, text, headers: new Headers(dateBehind(world.clockAheadMs + world.storageAheadMs)) };
      }
      if (url === "https://api.resend.com/domains") return answer(world.resendStatus, {});
      if (world.redirectsTo && url === `${base}/healthz`)
        return { status: 301, headers: new Headers({ location: world.redirectsTo }), text: "" };
      if (url !== `${base}/healthz` || world.isOther) return answer(200, "another page");
      const config = loadConfig(env, false);
      const address = clientAddress(world.peer, world.forward(headers["x-forwarded-for"]), config.TRUSTED_PROXIES);
      return answer(200, { seen: isDoctor(config, headers["postroom-doctor"] ?? null, now) && { address, version } });
    },
    dns: {
      txt: async (name) => (world.hasDns ? [records[name] ?? []].flat() : undefined),
      addresses: async (name) => (name === "example.com" ? [] : ["192.0.2.1"]),
      names: async () => [],
      mailServers: async (name) =>
        world.hasDns ? (world.withMail.includes(name) ? ["mx.example.com"] : []) : undefined,
    },
    diskOf: async () => world.disk,
    isClockSynchronized: async () => world.isClockSynchronized,
    stopTimeOf: async () => world.stopMs,
    ownAddresses: ["10.0.0.9"],
    certificateValidity: async () => {
      const end = now.getTime() + world.certificateDays * 24 * hourMs;
      return { start: new Date(end - 90 * 24 * hourMs), end: new Date(end) };
    },
  };
  return {
    ...{ env, world, records, tools, db, file, now, node, folder: folder.path, DATA_DIR },
    async examine() {
      if (!world.isClosed) await db.close();
      world.isClosed = true;
      return diagnose(env, tools);
    },
    async [Symbol.asyncDispose]() {
      await node.close();
      folder[Symbol.dispose]();
    },
  };
}
type Installation = Awaited<ReturnType<typeof installation>>;

const realAsk: Tools["ask"] = async (url, headers = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test("nothing is wrong with an installation as the documentation describes it", async () => {
  await using at = await installation();
  const found = await at.examine();
  expect(found.filter(({ verdict, check }) => verdict !== "ok" && check !== "limits")).toEqual([]);
  const checks = [
    "config",
    "data-dir",
    "port",
    "secret",
    "database",
    "base-url",
    "proxy",
    "clock",
    "storage",
    "mail",
    "mailbox",
    "sender",
    "backups",
    "limits",
  ];
  expect(found.map(({ check }) => check)).toEqual(checks);
});

test.each<[check: string, what: string, says: string, broken: (at: Installation) => unknown]>([
  ["config", "a misspelt variable", "Did you mean METRICS_TOKEN?", ({ env }) => (env.METRICSTOKEN = "x")],
  ["config", "an invalid variable", "PORT must be a port number", ({ env }) => (env.PORT = "eighty")],
  [
    "base-url",
    "a public site over http",
    "browsers will not sign in",
    ({ env }) => (env.BASE_URL = "http://postroom.example.com"),
  ],
  [
    "base-url",
    "a BASE_URL that leads to another program",
    "not this service",
    (at) => ((at.world.isOther = true), running(at)),
  ],
  [
    "base-url",
    "a BASE_URL that leads elsewhere",
    `${base} redirects to https://www.example.com/. Set BASE_URL to where it leads.`,
    ({ world }) => (world.redirectsTo = "https://www.example.com/"),
  ],
  [
    "proxy",
    "a proxy that passes a forged address on",
    "Anyone can pretend another address",
    ({ world }) => (world.forward = (sent) => sent ?? "8.8.8.8"),
  ],
  ["proxy", "a proxy that is not trusted", "All visitors look like 10.0.0.2", ({ world }) => (world.peer = "10.0.0.2")],
  ["clock", "a clock that is behind", "The clock is 94 s behind", ({ world }) => (world.clockAheadMs = -94_000)],
  [
    "clock",
    "a clock that is behind, where BASE_URL leads to the same machine",
    "The clock is 1200 s behind that of api.resend.com. Turn on NTP: ",
    ({ world }) => Object.assign(world, { clockAheadMs: -1_200_000, isOwnClock: true }),
  ],
  [
    "clock",
    "a storage server whose clock is behind",
    "s ahead of that of 127.0.0.1:",
    ({ world }) => (world.storageAheadMs = 1_200_000),
  ],
  ["data-dir", "a folder that others can read", "chmod 700", ({ DATA_DIR }) => chmodSync(DATA_DIR, 0o755)],
  [
    "data-dir",
    "a database that belongs to another user, or is read-only",
    "postroom.sqlite",
    ({ file }) => forbid(file),
  ],
  [
    "data-dir",
    "a disk without space",
    "has 99 MB free. Make space.",
    ({ world }) => (world.disk = { ...world.disk, free: 99e6 }),
  ],
  [
    "data-dir",
    "a folder on another machine",
    "is on a network file system: SQLite is not safe there",
    ({ world }) => (world.disk = { ...world.disk, type: nfs }),
  ],
  ["port", "a port that another program has", "is taken by another program", taken],
  ["secret", "another APP_SECRET", "not the one", otherSecret],
  ["secret", "another APP_SECRET than that of the last start", "not the one that signed", lastServedWithAnother],
  ["secret", "a secret whose file is gone", "secret is missing", secretFileGone],
  ["database", "a database that was damaged", "is damaged", damage],
  ["storage", "no storage node in production", "None, so uploads fail. Set MINIO_*", withoutStorage],
  ["storage", "a wrong key of the storage", "default:", ({ env }) => (env.MINIO_SECRET_KEY = "another")],
  [
    "mail",
    "a key that Resend does not know",
    "does not accept the key (401)",
    ({ world }) => (world.resendStatus = 401),
  ],
  ["mail", "a mail server that does not answer", "127.0.0.1 does not accept the connection", withoutMailServer],
  [
    "sender",
    "a domain without DMARC",
    "Add TXT _dmarc.example.com “v=DMARC1; p=none”",
    ({ records }) => delete records["_dmarc.example.com"],
  ],
  [
    "sender",
    "a domain for which Resend may not send",
    "send.example.com has no SPF record. Add TXT send.example.com “v=spf1 include:amazonses.com ~all”.",
    ({ records }) => delete records["send.example.com"],
  ],
  [
    "sender",
    "a domain that accepts no emails",
    "example.com has no MX record: replies are lost",
    ({ world }) => (world.withMail = ["send.example.com"]),
  ],
  [
    "sender",
    "a domain to which bounces cannot return",
    "Add MX send.example.com as Resend shows it",
    ({ world }) => (world.withMail = ["example.com"]),
  ],
  [
    "mailbox",
    "a mailbox whose server rejects the password",
    "Invalid: …). Check BOUNCE_MAILBOX",
    (at) => mailbox(at, { refuses: true }),
  ],
  [
    "mailbox",
    "a mailbox whose folder does not exist",
    "does not open INBOX (NO no such folder)",
    (at) => mailbox(at, {}),
  ],
  [
    "backups",
    "copies to a storage node that does not exist",
    "“attic” in BACKUP_URL was not found",
    ({ env }) => (env.BACKUP_URL = "node:attic"),
  ],
  ["backups", "copies that fail for a day", "No copy was proved good for 24 h (every 6 h). AccessDenied", failing],
])("%s is named, and nothing else, for %s", async (check, _, says, broken) => {
  await using at = await installation();
  await using cleanup = new AsyncDisposableStack();
  const server = await broken(at);
  if (isServer(server)) cleanup.defer(() => server.stop(true));
  const wrong = (await at.examine()).filter(({ verdict }) => verdict === "wrong");
  expect(wrong.map((one) => one.check)).toEqual([check]);
  expect(wrong[0]?.text).toContain(says);
});

/** Root may write everything, but not the user that the folder belongs to. */
const forbid = (file: string) => (process.getuid?.() === 0 ? chownSync(file, 12_345, 12_345) : chmodSync(file, 0o400));

/** A mailbox that does not open. */
async function mailbox({ env }: Installation, more: { refuses?: boolean }) {
  const imap = await imapServer();
  Object.assign(imap, more);
  if (!more.refuses) imap.behave = (command) => (command.startsWith("SELECT") ? "TAG NO no such folder" : undefined);
  env.BOUNCE_MAILBOX = imap.url;
  return { stop: () => imap[Symbol.asyncDispose]() };
}

const isServer = (value: unknown): value is { stop: (now: boolean) => Promise<void> } =>
  typeof value === "object" && value !== null && "stop" in value;

const serveOn = ({ env }: Installation, body: unknown) =>
  Bun.serve({ port: Number(env.PORT), hostname: "127.0.0.1", fetch: () => Response.json(body) });
function taken(at: Installation) {
  return serveOn(at, "another program");
}
function running(at: Installation) {
  return serveOn(at, { seen: { address: "127.0.0.1", version } });
}

async function otherSecret({ db, node, now }: Installation) {
  const config = loadConfig({ APP_SECRET: `${secret}, but another one` });
  const { endpoint, bucket, region, accessKey, secretKey } = node;
  const row = {
    name: "attic",
    endpoint,
    publicEndpoint: endpoint,
    bucket,
    region,
    accessKey,
    capacityBytes: 1,
    maxPutBytes: 1,
  };
  await addNode(db, { ...row, secret: seal(config, secretKey) }, by, now);
}

function withoutStorage({ env }: Installation) {
  for (const name of Object.keys(env).filter((name) => name.startsWith("MINIO_"))) delete env[name];
  env.NODE_ENV = "production";
}

function withoutMailServer({ env, records }: Installation) {
  env.MAILER_API_KEY = `smtp://127.0.0.1:${freePort()}`;
  records["example.com"] = "v=spf1 ip4:192.0.2.1 -all";
}

function servedWith(db: Db, APP_SECRET: string, APP_SECRET_PREVIOUS = "") {
  return useSharedSecret({ config: loadConfig({ APP_SECRET, APP_SECRET_PREVIOUS }), db });
}
function lastServedWithAnother({ db }: Installation) {
  return servedWith(db, `${secret}, but another one`);
}
async function secretFileGone({ db, env }: Installation) {
  await servedWith(db, secret);
  delete env.APP_SECRET;
}

async function damage({ db, file, world }: Installation) {
  await db.close();
  world.isClosed = true;
  for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
  const bytes = Buffer.from(await Bun.file(file).bytes());
  for (let page = 3; page < bytes.length / 4_096; page++) bytes.fill(0xff, page * 4_096, page * 4_096 + 200);
  writeFileSync(file, bytes, { mode: 0o600 });
}

function failing({ db, now }: Installation) {
  const at = now.getTime() - 24 * hourMs;
  return recordBackup(db, { last: { name: "x", at, provedAt: at, bytes: 1 }, problem: { at, text: "AccessDenied" } });
}

test.each<[check: string, what: string, says: string, weak: (at: Installation) => unknown]>([
  [
    "clock",
    "a clock that nothing keeps right",
    "nothing keeps it so. Turn on NTP",
    ({ world }) => (world.isClockSynchronized = false),
  ],
  [
    "secret",
    "a secret that was replaced without the old one",
    "APP_SECRET was replaced",
    async ({ db }) => (await servedWith(db, `${secret}, lost`), await servedWith(db, secret)),
  ],
  [
    "sender",
    "records that are not known, because DNS does not answer",
    "DNS does not answer, so the records of example.com are not known",
    ({ world }) => (world.hasDns = false),
  ],
  [
    "backups",
    "a key for which there is no copy yet",
    "No copy has been made yet. Run `postroom backup now`",
    ({ db }) => recordBackup(db, { since: Date.now(), last: undefined }),
  ],
  [
    "backups",
    "a first copy that failed",
    "No copy has been made yet. The last attempt failed: ECONNREFUSED.",
    ({ db }) => recordBackup(db, { since: Date.now(), last: undefined, problem: { at: 1, text: "ECONNREFUSED" } }),
  ],
  [
    "backups",
    "a copy that failed after a good one",
    "The last copy is good. The last attempt failed: AccessDenied.",
    ({ db }) => recordBackup(db, { problem: { at: 1, text: "AccessDenied" } }),
  ],
  ["limits", "few open files", "1024 open files. Set LimitNOFILE=65536", (at) => runningWith(at, { openFiles: 1_024 })],
  [
    "limits",
    "little memory",
    "128 MB of memory. Allow it 512 MB",
    (at) => runningWith(at, { memoryBytes: 128 * 2 ** 20 }),
  ],
  [
    "limits",
    "little time to stop",
    "postroom.service is killed 5 s after it was asked to stop. Set TimeoutStopSec=15",
    (at) => ((at.world.stopMs = 5_000), runningWith(at, {})),
  ],
  [
    "config",
    "a value under Set up that the environment covers",
    "MAIL_FROM was saved under Set up, too. That value has no effect",
    ({ db, env, now }) =>
      setVariable(db, { name: "MAIL_FROM", sealed: sealVariable(loadConfig(env, false), "b@example.com") }, by, now),
  ],
  [
    "base-url",
    "a certificate that ends soon",
    "The certificate of postroom.example.com ends in 13 days. Renew it.",
    ({ world }) => (world.certificateDays = 13),
  ],
  [
    "data-dir",
    "a disk with little space",
    "has 9.9 GB of 100 GB free. Make space.",
    ({ world }) => (world.disk = { ...world.disk, free: 9.9e9 }),
  ],
  [
    "data-dir",
    "a small disk with less than 1 GB, which is more than a tenth",
    "has 999 MB of 5 GB free. Make space.",
    ({ world }) => (world.disk = { ...world.disk, free: 0.999e9, total: 5e9 }),
  ],
])("%s warns of %s, and nothing else, but exits well", async (check, _, says, weak) => {
  await using at = await installation();
  await using cleanup = new AsyncDisposableStack();
  const server = await weak(at);
  if (isServer(server)) cleanup.defer(() => server.stop(true));
  const found = (await at.examine()).filter(
    (one) => one.verdict !== "ok" && (one.check !== "limits" || check === "limits"),
  );
  expect(found.map((one) => [one.check, one.verdict])).toEqual([[check, "warn"]]);
  expect(found[0]?.text).toContain(says);
});

/** A running service with these limits. */
function runningWith(at: Installation, limits: Partial<ProcessLimits>) {
  return serveOn(at, { seen: { address: "127.0.0.1", version, limits: { ...at.world.limits, ...limits } } });
}

test("a secret that replaces one and lists it is no fault, nor is a first one", async () => {
  await using at = await installation();
  await servedWith(at.db, `${secret}-first`);
  await servedWith(at.db, secret, `${secret}-first`);
  expect((await at.examine()).find(({ check }) => check === "secret")?.verdict).toBe("ok");
});

test.each<[text: string, ms: number | undefined]>([
  ["15s", 15_000],
  ["1min 30s", 90_000],
  ["500ms", 500],
  ["infinity", Number.POSITIVE_INFINITY],
  ["", undefined],
  ["5 parsecs", undefined],
])("systemd’s %j is %p milliseconds", (text, ms) => expect(milliseconds(text)).toBe(ms));

test.each<[what: string, files: Record<string, string>, limits: ProcessLimits]>([
  [
    "a unit of systemd",
    {
      "proc/self/limits": "Max open files            65536                65536                files\n",
      "proc/self/cgroup": "0::/system.slice/postroom.service\n",
      "sys/fs/cgroup/system.slice/memory.max": "268435456\n",
      "sys/fs/cgroup/system.slice/postroom.service/memory.max": "max\n",
    },
    { openFiles: 65_536, memoryBytes: 268_435_456, unit: "postroom.service" },
  ],
  [
    "a container",
    { "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n" },
    { openFiles: undefined, memoryBytes: 536_870_912, unit: undefined },
  ],
  [
    "version 1 of control groups",
    {
      "proc/self/limits": "Max open files            unlimited            unlimited            files\n",
      "proc/self/cgroup": "4:memory:/a\n1:cpu:/\n",
      "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "134217728\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    },
    { openFiles: undefined, memoryBytes: 134_217_728, unit: undefined },
  ],
  ["another system", {}, { openFiles: undefined, memoryBytes: undefined, unit: undefined }],
])("the limits of %s are read", async (_, files, limits) => {
  using root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) await Bun.write(join(root.path, name), text);
  expect(processLimits(root.path)).toEqual(limits);
});

test.each<[names: string[], verdict: string, says: string]>([
  [[], "warn", "has no PTR record"],
  [["mail.example.com"], "ok", "127.0.0.1 accepts the connection."],
])("a mail server whose address has the names %j gets the verdict %s", async (names, verdict, says) => {
  const server = await smtpSink();
  try {
    await using at = await installation();
    at.env.MAILER_API_KEY = server.url;
    at.tools.dns = { ...at.tools.dns, names: async () => names };
    at.records["example.com"] = "v=spf1 ip4:192.0.2.1 -all";
    const findings = await at.examine();
    expect(findings.find(({ check }) => check === "mail")).toMatchObject({
      ...{ verdict, text: expect.stringContaining(says) },
    });
    const sender = async () => (await at.examine()).find(({ check }) => check === "sender")?.text;
    expect(await sender()).toBe("example.com has SPF, DMARC and MX records.");
    delete at.records["example.com"];
    expect(await sender()).toBe(
      "example.com has no SPF record. Add TXT example.com “v=spf1 a mx ~all”, with your server’s addresses.",
    );
  } finally {
    await server.stop();
  }
});

test("the service answers a doctor who knows APP_SECRET, now, and no one else", () => {
  const now = new Date();
  const token = doctorToken({ APP_SECRET: secret }, now);
  expect(isDoctor({ APP_SECRET: secret }, token, now)).toBe(true);
  expect(isDoctor({ APP_SECRET: `${secret}2` }, token, now)).toBe(false);
  expect(isDoctor({ APP_SECRET: secret }, token, new Date(now.getTime() + 6 * 60_000))).toBe(false);
  for (const other of [null, "", `${token}x`, `1${token}`])
    expect(isDoctor({ APP_SECRET: secret }, other, now)).toBe(false);
});
