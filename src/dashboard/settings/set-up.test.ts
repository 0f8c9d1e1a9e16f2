import { expect, test } from "bun:test";
import { Resolver } from "node:dns/promises";
import * as audit from "../../../db/audit";
import { backupRecipient } from "../../../db/ops/backup-state";
import { setVariable, storedVariables } from "../../../db/variables";
import { everything, isOnPostgres } from "../../../test/support/look";
import { nextPeer, testService } from "../../../test/support/service";
import { lookUpWith, senderRecords } from "../../mail/sender-records";
import { sealVariable, useVariables, variableWatch } from "../../security/variables";

const path = "/dashboard/settings/set-up";

async function service(env: Record<string, string> = {}) {
  const own = await testService({ OWNER_EMAIL: "", ...env });
  const owner = await own.signIn();
  const save = (name: string, value: string) => owner.submit(`${path}/${name}`, { value });
  const page = async () => (await owner.get(path)).text();
  return { ...own, owner, save, page };
}

test("a value holds from the next request on, is on record, and a default comes back when it is removed", async () => {
  const { config, db, owner, save, page } = await service();
  expect((await save("MAIL_FROM", "Ada <ada@example.com>")).status).toBe(303);
  expect((await save("BLOG_URL", "https://blog.example/notes/")).status).toBe(303);
  expect([config.MAIL_FROM, config.BLOG_URL, config.hasBlog]).toEqual([
    "Ada <ada@example.com>",
    "https://blog.example/notes",
    true,
  ]);
  expect([...config.CORS_ORIGINS]).toEqual(["http://localhost:3000", "https://blog.example"]);
  expect(await page()).toContain('value="Ada &lt;ada@example.com>"');
  await owner.submit(`${path}/BLOG_URL`, { remove: "yes" });
  expect([config.BLOG_URL, config.hasBlog, [...config.CORS_ORIGINS]]).toEqual([
    "http://localhost:3000",
    false,
    ["http://localhost:3000"],
  ]);
  const { events } = await audit.list(db, { group: "variable" }, { page: 1, per: 50 });
  expect(events.map(({ action, target, details }) => [action, target, details])).toEqual([
    ["variable.remove", "BLOG_URL", {}],
    ["variable.set", "BLOG_URL", {}],
    ["variable.set", "MAIL_FROM", {}],
  ]);
});

test("forms of several sites are accepted as soon as an owner names them, whom Settings leads here", async () => {
  const { owner, save, page, send, config } = await service();
  const from = async (origin: string) => {
    const body = new URLSearchParams({ email: "ada@example.com" });
    return (await send("/newsletter/subscribe", { method: "POST", body, headers: { origin } }, nextPeer())).status;
  };
  const sites = ["https://example.com", "http://localhost:8080"];
  expect(await Promise.all(sites.map(from))).toEqual([400, 400]);
  expect((await save("CORS_ORIGINS", "https://example.com/contact, http://localhost:8080")).status).toBe(303);
  expect(await Promise.all([...sites, "https://other.example"].map(from))).toEqual([200, 200, 400]);
  expect(await page()).toContain('value="https://example.com, http://localhost:8080"');
  await owner.submit(`${path}/CORS_ORIGINS`, { remove: "yes" });
  expect([...config.CORS_ORIGINS]).toEqual(["http://localhost:3000"]);
  const site = await (await owner.get("/dashboard/settings/site")).text();
  expect(site).toContain(`<a href="${path}#site">Set up</a>`);
  expect(site).toContain(`<a href="${path}">Set up</a>`);
});

test("Set up stands beside the other pages of Settings, and each of its parts has its address alone", async () => {
  const { page } = await service();
  const html = await page();
  const nav = html.match(/<nav class="settings-nav".*?<\/nav>/s)?.[0] ?? "";
  expect([...nav.matchAll(/<a href="[^"]+\/(\S+)"[^>]*>/g)].map(([, to]) => to)).toEqual([
    "site",
    "security",
    "brand",
    "email",
    "newsletter",
    "limits",
    "appearance",
    "set-up",
  ]);
  expect(nav).toContain(`<a href="${path}" aria-current="page">Set up</a>`);
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

test("what the environment says is shown locked and stays, and a value that was saved before has no effect", async () => {
  const { config, db, page, save, now } = await service({ MAIL_FROM: "site@example.com" });
  const sealed = sealVariable(config, "other@example.com");
  await setVariable(db, { name: "MAIL_FROM", sealed }, { actor: "test" }, now());
  await useVariables({ config, db });
  expect((await save("MAIL_FROM", "third@example.com")).status).toBe(303);
  expect(config.MAIL_FROM).toBe("site@example.com");
  expect((await storedVariables(db)).MAIL_FROM?.sealed).toBe(sealed);
  const text = await page();
  expect(text).toContain(
    "Set by <code>MAIL_FROM</code> in the environment. A value that was saved here has no effect.",
  );
  expect(text).not.toContain('id="save-MAIL_FROM"');
});

test("a key is stored encrypted and never shown again, neither on a page nor in the log", async () => {
  const { config, db, logged, page, save } = await service();
  expect((await save("MAILER_API_KEY", "re_very_secret")).status).toBe(303);
  expect((await save("BACKUP_URL", "s3://KEY:concealed@8.8.8.8/bucket/here")).status).toBe(303);
  expect(config.MAILER_API_KEY).toBe("re_very_secret");
  const text = await page();
  if (isOnPostgres) expect(config.BACKUP_URL).toBeUndefined();
  else {
    expect(config.BACKUP_URL).toMatchObject({ endpoint: "https://8.8.8.8", secretKey: "concealed" });
    expect(text).toContain("8.8.8.8/bucket");
  }
  expect(text).toContain("Resend");
  expect(text).toContain(`hx-get="${path}/records" hx-trigger="every 10s"`); // the records of the sender, while they are added
  for (const where of [text, await everything(db), JSON.stringify(logged)])
    expect(where).not.toMatch(/re_very_secret|concealed/);
});

const refusedBackups = [
  ["BACKUP_URL", "s3+http://k:s@127.0.0.1:9000/bucket", "which is not on the public Internet"],
  ["BACKUP_URL", "s3://k:s@169.254.169.254/bucket", "which is not on the public Internet"],
  ["BACKUP_URL", "s3://k:s@[::1]/bucket", "which is not on the public Internet"],
  ["BACKUP_EVERY", "1s", "must"],
];

test.each([
  ...(isOnPostgres ? [] : refusedBackups),
  ["MAILER_API_KEY", "smtp://user:password@10.0.0.5:587", "10.0.0.5, which is not on the public Internet"],
  ["MAILER_API_KEY", "smtp://127.0.0.1:25", "127.0.0.1, which is not on the public Internet"],
  ["MAILER_API_KEY", "sk_wrong", "must be a Resend API key"],
  ["MAIL_FROM", "nobody", "must be an email address"],
  ["BLOG_URL", "javascript:alert(1)", "must be an http(s) URL"],
  ["CORS_ORIGINS", "https://a.example, b.example", "must be a comma-separated list of origins"],
  ["MAIL_FROM", "", "is required"],
  ["BLOG_URL", `https://example.com/${"a".repeat(1_000)}`, "at most 1,000 characters"],
])("%s cannot become %s", async (name, value, problem) => {
  const { config, db, save } = await service();
  const before = [JSON.stringify(config), await everything(db)];
  const answer = await save(name, value);
  expect([answer.status, (await answer.text()).replaceAll("&#39;", "'")]).toEqual([
    422,
    expect.stringContaining(problem),
  ]);
  expect([JSON.stringify(config), await everything(db)]).toEqual(before);
});

test("other variables cannot be set, and only owners who confirmed their password can set any", async () => {
  const { clock, config, owner, save, signIn } = await service();
  for (const name of ["APP_SECRET", "TRUSTED_PROXIES", "WEBHOOK_PRIVATE_HOSTS", "__proto__"])
    expect((await save(name, "anything-at-all-of-thirty-two-characters")).status).toBe(303);
  expect(config.APP_SECRET).toBe("test-secret-of-at-least-32-characters");
  const manager = await signIn({ email: "manager@example.com", role: "manager" });
  expect((await manager.get(path)).status).toBe(403);
  expect((await manager.submit(`${path}/MAIL_FROM`, { value: "m@example.com" })).status).toBe(403);
  clock.time += 16 * 60_000;
  const answer = await owner.submit(`${path}/MAIL_FROM`, { value: "late@example.com" });
  expect(answer.headers.get("location")).toContain("/dashboard/confirm");
  expect(config.MAIL_FROM).toBe("Postroom <postroom@localhost>");
});

test("another process reads a change at its next look, and only then", async () => {
  const { config, db, now } = await service();
  const other = { config: { ...config, CORS_ORIGINS: new Set<string>() }, db };
  const refresh = variableWatch(other);
  await refresh();
  expect(other.config.CORS_ORIGINS.size).toBe(0); // nothing was read
  await setVariable(db, { name: "MAIL_FROM", sealed: sealVariable(config, "a@b.example") }, { actor: "test" }, now());
  await db.fresh();
  await refresh();
  expect([other.config.MAIL_FROM, config.MAIL_FROM]).toEqual(["a@b.example", "Postroom <postroom@localhost>"]);
});

test("the key of the backups is shown once, and the database keeps its public half alone", async () => {
  const { db, owner, page } = await service();
  if (isOnPostgres) expect(await page()).toContain("are made by its operator");
  const answer = await owner.submit(`${path}/backup-key`);
  if (isOnPostgres) return expect(answer.status).toBe(303);
  const [key = ""] = /AGE-SECRET-KEY-1\w+/.exec(await answer.text()) ?? [];
  expect(key).not.toBe("");
  expect(await db.read(() => backupRecipient(db))).toMatch(/^age1/);
  expect([await everything(db), await page()].join()).not.toContain(key);
  expect((await owner.submit(`${path}/backup-key`)).status).toBe(303);
  expect(await page()).toContain("There is a key to encrypt the copies.");
});

test("a record is missing only if DNS says so, and unknown if DNS does not answer", async () => {
  const codes: Record<string, number> = { nothing: 0, unknown: 3, fails: 2, refuses: 5 };
  const server = await Bun.udpSocket({
    hostname: "127.0.0.1",
    socket: {
      data(socket, query, port, address) {
        const answer = Buffer.from(query);
        const name = answer.toString("latin1", 13, 13 + (answer[12] ?? 0));
        answer[2] = 0x81; // an answer
        answer[3] = 0x80 | (codes[name] ?? 0);
        socket.send(answer, port, address);
      },
    },
  });
  const lookUp = lookUpWith(() => {
    const resolver = new Resolver({ timeout: 120_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.port}`]);
    return resolver;
  });
  const answers = Object.keys(codes).map(async (name) => [
    name,
    await lookUp.txt(`${name}.example.com`),
    await lookUp.mailServers(`${name}.example.com`),
  ]);
  expect(await Promise.all(answers)).toEqual([
    ["nothing", [], []],
    ["unknown", [], []],
    ["fails", undefined, undefined],
    ["refuses", undefined, undefined],
  ]);
  server.close();
  const silent = { txt: async () => undefined, mailServers: async () => undefined };
  const records = await senderRecords({ MAIL_FROM: "a@example.com", MAILER_API_KEY: "re_1" }, silent);
  expect(records.map(({ exists }) => exists)).toEqual([undefined, undefined, undefined, undefined]);
});

test("the records of the sender's domain are looked up, and the missing ones named with their value", async () => {
  const texts = new Map([
    ["send.example.com", ["v=spf1 include:amazonses.com ~all"]],
    ["resend._domainkey.example.com", ["P = abc"]],
  ]);
  const lookUp = { txt: async (name: string) => texts.get(name) ?? [], mailServers: async () => [] };
  const sender = { MAIL_FROM: "Ada <ada@example.com>", MAILER_API_KEY: "re_1" };
  expect((await senderRecords(sender, lookUp)).map(({ kind, name, exists }) => [kind, name, exists])).toEqual([
    ["SPF", "send.example.com", true],
    ["DKIM", "resend._domainkey.example.com", true],
    ["DMARC", "_dmarc.example.com", false],
    ["MX", "send.example.com", false],
  ]);
  const smtp = await senderRecords({ ...sender, MAILER_API_KEY: "smtp://mail.example.com" }, lookUp);
  expect(smtp.map(({ kind, name, value }) => [kind, name, value])).toEqual([
    ["SPF", "example.com", "v=spf1 a mx ~all"],
    ["DMARC", "_dmarc.example.com", "v=DMARC1; p=none"],
  ]);
  expect(await senderRecords({ MAIL_FROM: "a@example.com" }, lookUp)).toEqual([]);
  const { owner, page } = await service();
  expect(await page()).toContain("Connect a provider first.");
  expect(await (await owner.get(`${path}/records`, { "hx-request": "true" })).text()).toContain(
    "Connect a provider first.",
  );
});
