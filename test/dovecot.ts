/**
 * `npm run test:imap`: the mailbox of bounces, in a real server. Needs Dovecot (Debian: `apt-get install dovecot-imapd`)
 * and root, who alone may start it. It runs in a folder of its own, at a free port.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { mailboxState } from "../db/mailbox/position";
import { messageIdOf } from "../src/mail/headers";
import { startReading } from "../src/mailbox/reader";
import { mailboxName, readMailboxUrl } from "../src/platform/mail-urls";
import { unsubscribeToken } from "../src/security/links";
import { broadcastStage } from "./support/broadcasts/broadcasts";
import { look } from "./support/look";
import { samples } from "./support/mailbox/samples";
import { temporaryFolder } from "./support/processes";
import { certificate, certificateKey } from "./support/providers/certificate";
import { testTimeoutMs } from "./support/within";

setDefaultTimeout(testTimeoutMs);

const [user, password] = ["ada@site.example", "p@ss wörd/1"];
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Dovecot with one mailbox, whose messages are files. */
async function dovecot() {
  const folder = temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  chmodSync(folder.path, 0o755);
  const port = await freePort();
  const config = `
    protocols = imap
    listen = 127.0.0.1
    base_dir = ${at("run")}
    state_dir = ${at("state")}
    log_path = ${at("log")}
    ssl = required
    ssl_cert = <${at("cert.pem")}
    ssl_key = <${at("key.pem")}
    mail_location = maildir:${at("mail")}
    first_valid_uid = 1
    mail_max_userip_connections = 50
    passdb {
      driver = passwd-file
      args = scheme=PLAIN ${at("users")}
    }
    userdb {
      driver = static
      args = uid=nobody gid=nogroup home=${at("mail")}
    }
    service imap-login {
      inet_listener imap {
        port = 0
      }
      inet_listener imaps {
        port = ${port}
        ssl = yes
      }
    }`;
  for (const part of ["cur", "new", "tmp"]) mkdirSync(at("mail", part), { recursive: true });
  for (const [name, text] of Object.entries({ "cert.pem": certificate, "key.pem": certificateKey, config }))
    writeFileSync(at(name), text);
  writeFileSync(at("users"), `${user}:{PLAIN}${password}\n`);
  await Bun.$`chown -R nobody:nogroup ${at("mail")}`.quiet();
  const command = Bun.which("dovecot") ?? "/usr/sbin/dovecot";
  const listens = () =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => (socket.end(), true),
      () => false,
    );
  let count = 0;
  let running: Bun.Subprocess | undefined;
  const server = {
    url: `imaps://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/INBOX`,
    async start() {
      running = Bun.spawn([command, "-F", "-c", at("config")], { stdout: "inherit", stderr: "inherit" });
      while (!(await listens())) if (running.exitCode !== null) throw new Error("Dovecot does not start");
    },
    async stop() {
      running?.kill();
      await running?.exited;
    },
    /** Puts a message into the folder, as a mail server does. */
    deliver(raw: string, receivedAt: Date) {
      const name = `${receivedAt.getTime()}.${++count}.localhost`;
      writeFileSync(at("mail", "tmp", name), raw.replaceAll("\r\n", "\n"));
      utimesSync(at("mail", "tmp", name), receivedAt, receivedAt);
      renameSync(at("mail", "tmp", name), at("mail", "new", name));
    },
    /** The names of all messages, which end with their flags. */
    files: () => ["cur", "new"].flatMap((part) => readdirSync(at("mail", part))),
    /** Gives all messages new UIDs, as a mailbox that was restored has. */
    renumber() {
      for (const name of readdirSync(at("mail")))
        if (name.startsWith("dovecot")) rmSync(at("mail", name), { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      folder[Symbol.dispose]();
    },
  };
  await server.start();
  return server;
}

test("Dovecot: each report is read once and marked as seen, what is none stays unread, and nothing is deleted", async () => {
  await using server = await dovecot();
  const people = samples.length + 3;
  const stage = await broadcastStage({
    people,
    env: { BOUNCE_MAILBOX: server.url, MAIL_FROM: "Ada <ada@site.example>" },
  });
  const { db, config, log, now, clock } = stage;
  const id = await stage.confirmed();
  await stage.sender().drain();
  await look(db, `update broadcast_recipients set state = 1, accepted_at = ${clock.time}`);
  const to = (row: number) => {
    const email = `p${row}@example.com`;
    const token = unsubscribeToken({ APP_SECRET: config.APP_SECRET }, email);
    return { to: email, messageId: messageIdOf({ broadcastId: id, row }, token, "site.example") };
  };
  const name = mailboxName(readMailboxUrl(server.url) as Exclude<ReturnType<typeof readMailboxUrl>, string>);
  const state = () => mailboxState(db, name);
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await Bun.sleep(20);
  };
  const seen = () => server.files().filter((file) => /:2,\w*S/.test(file)).length;

  for (const [at, { write }] of samples.entries()) server.deliver(write(to(at + 1)), now());
  server.deliver("From: a friend <friend@example.com>\r\nSubject: Hi\r\n\r\nHow are you?", now());
  const forged = { messageId: `b.1.${id}.${"0".repeat(20)}@site.example`, to: "p1@example.com" };
  for (const { write } of samples) server.deliver(write(forged), now());
  const delivered = 2 * samples.length + 1;
  const sleep = async (milliseconds: number) => void ((clock.time += milliseconds), await Bun.sleep(50));
  const reader = startReading({ config, db, log, now }, { ca: certificate, lookEveryMs: 20, sleep });
  await until(async () => (await state())?.lastUid === delivered);
  const reports = samples.filter(({ means }) => means).length;
  await until(() => seen() >= reports);
  const stopped = samples.flatMap(({ means }, at) =>
    means === "bounced" || means === "complained" ? `p${at + 1}@example.com` : [],
  );
  const suppressed = async () =>
    (await look<{ email: string }>(db, "select email from suppressions order by email")).map(({ email }) => email);
  expect(await suppressed()).toEqual(stopped.sort());
  const soft = await look<{ row: number }>(db, 'select "row" from broadcast_recipients where soft_at is not null');
  expect(soft.map(({ row }) => row).sort()).toEqual(
    samples.flatMap(({ means }, at) => (means === "soft-bounced" ? at + 1 : [])).sort(),
  );
  expect([seen(), server.files().length]).toEqual([reports, delivered]);

  const [more, again] = [samples.length + 1, samples.length + 2];
  server.deliver(samples[0]?.write(to(more)) ?? "", now()); // it is told of this one while it idles
  await until(async () => (await suppressed()).includes(`p${more}@example.com`));

  await server.stop();
  server.renumber();
  server.deliver(samples[0]?.write(to(again)) ?? "", now());
  const events = await look(db, "select id from provider_events");
  await server.start();
  await until(
    async () => (await suppressed()).includes(`p${again}@example.com`) && (await state())?.lastUid === delivered + 2,
  );
  expect(await look(db, "select id from provider_events")).toHaveLength(events.length + 1);
  await until(() => seen() === reports + 2);
  expect(server.files()).toHaveLength(delivered + 2);
  await until(async () => (await state())?.problem === null);
  await reader?.close();
  await db.close();
});

test("Dovecot: a wrong password is named as the problem, without it", async () => {
  await using server = await dovecot();
  const wrong = server.url.replace(encodeURIComponent(password), "another-password");
  const { db, config, log, now } = await broadcastStage({ people: 0, env: { BOUNCE_MAILBOX: wrong } });
  const waits = Promise.withResolvers<void>();
  const sleep = (_milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => (waits.resolve(), signal.addEventListener("abort", reject)));
  const reader = startReading({ config, db, log, now }, { ca: certificate, lookEveryMs: 20, sleep });
  await waits.promise;
  const name = mailboxName(readMailboxUrl(wrong) as Exclude<ReturnType<typeof readMailboxUrl>, string>);
  const problem = (await mailboxState(db, name))?.problem ?? "";
  expect(problem).toContain("AUTHENTICATIONFAILED");
  expect(problem).not.toContain("another-password");
  await reader?.close();
  await db.close();
});
