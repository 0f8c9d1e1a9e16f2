import { tmpdir } from "node:os";
import { openDb } from "../../db/open";
import * as apiKeys from "../../db/access/keys/api-keys";
import * as managers from "../../db/access/managers";
import type { Scope } from "../../db/schema/scopes";
import { createApp } from "../../src/app";
import { loadConfig } from "../../src/platform/config";
import { openMail } from "../../src/mail/open";
import { createCounters } from "../../src/telemetry/counters";
import { createIntegrity } from "../../src/telemetry/integrity";
import { createLog } from "../../src/platform/log";
import { formToken } from "../../src/security/forgery";
import { openLimits } from "../../src/security/limits/open";
import { openStorage } from "../../src/storage";
import { embedForTests, smallPart } from "./storage/storage";
import { randomToken, sha256 } from "../../src/security/secrets";

const secret = "test-secret-of-at-least-32-characters";

/**
 * A whole service on a database of its own, in memory unless a file is named. Takes a few milliseconds. Requests pass
 * through the pipeline.
 */
export async function testService(
  env: Record<string, string> = {},
  database = ":memory:",
  nodes: {
    /** Milliseconds that a call to a node may take, if not a minute. */
    deadline?: number;
    /** Bytes of a part of an upload. */
    part?: number;
  } = {},
) {
  const config = loadConfig({
    APP_SECRET: secret,
    DATA_DIR: tmpdir(), // is looked at for free space; only erasures write there, a line each
    BASE_URL: "http://localhost:3000",
    OWNER_EMAIL: "owner@example.com",
    ...env,
  });
  const db = await openDb(database);
  const logged: Record<string, unknown>[] = [];
  const clock = { time: Date.parse("2026-11-21T12:00:00Z") };
  const now = () => new Date(clock.time);
  const log = createLog("debug", (line) => logged.push(JSON.parse(line)));
  const limits = await openLimits({ db, config, now });
  const counters = createCounters({ config, db, log, now });
  // Patient: on a slow machine, a node that answers late must not seem silent
  const storage = openStorage({
    config,
    db,
    log,
    now,
    embed: embedForTests,
    part: smallPart,
    patience: 600_000,
    deadline: 60_000,
    ...nodes,
  });
  const integrity = createIntegrity({ db, log, now });
  const mail = openMail({ config, now });
  const sleep = () => Promise.resolve(); // only a test of the wait itself needs to wait
  const deps = { config, db, log, now, sleep, limits, counters, integrity, storage, mail };
  const app = createApp(deps);

  const send = async (path: string, init: RequestInit = {}, peer?: string) =>
    app.handle(new Request(new URL(path, config.BASE_URL).href, init), peer);
  const get = (path: string, headers: Record<string, string> = {}, peer?: string) => send(path, { headers }, peer);
  /** Posts JSON; a string is sent as it is. Each call comes from another client unless `peer` says otherwise. */
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, peer = nextPeer()) =>
    send(
      path,
      {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      },
      peer,
    );

  /** The header of a fresh API key, for requests to /api/v1. */
  const key = async (name = "Test", scopes?: Scope[]) => ({
    "x-api-key": (await apiKeys.generate(db, { prefix: config.KEY_PREFIX, name, ...(scopes && { scopes }) }, now()))
      .key,
  });

  /** A signed-in manager, and what their browser does: get a page, submit a form. */
  const signIn = async (person: Partial<Pick<managers.NewManager, "email" | "name" | "role">> = {}) => {
    const whole = { email: "owner@example.com", name: "Olive Owner", role: "owner" as const, ...person };
    const passwordHash = await testPasswordHash();
    const token = randomToken();
    const device = { hash: sha256(token), address: "127.0.0.1", userAgent: "test", isKnown: true };
    const presence = await db.write(async (orm) => {
      const manager =
        (await managers.create(orm, { ...whole, passwordHash }, now())) ??
        (await managers.find(orm, { email: whole.email }));
      return manager && (await managers.begin(orm, manager, { device, method: "test" }, now()));
    });
    if (!presence) throw new Error("The manager could not sign in");
    const { manager, session } = presence;
    const headers = { cookie: `__Host-postroom=${token}`, "sec-fetch-site": "same-origin" };
    const formField = formToken(config, session);
    return {
      manager,
      session,
      headers,
      token: formField,
      get: (path: string, more: Record<string, string> = {}) => get(path, { ...headers, ...more }),
      submit: (path: string, fields: Record<string, string | string[]> = {}, more: Record<string, string> = {}) =>
        send(path, {
          method: "POST",
          body: new URLSearchParams([
            ["_token", formField],
            ...Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
          ] as [string, string][]),
          headers: { ...headers, ...more },
        }),
    };
  };

  return {
    ...deps,
    deps,
    key,
    app,
    clock,
    logged,
    send,
    get,
    post,
    signIn,
  };
}

/** The password of every manager in tests. */
export const testPassword = "violet otter sings";
let hashed: Promise<string> | undefined;
/** Its hash, as weak as can be: checking a strong one takes 30 ms of processor time. */
const testPasswordHash = () =>
  (hashed ??= Bun.password.hash(testPassword, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 }));

let peers = 0;
/** An unused address, so that rate limits affect only tests about them. */
export const nextPeer = () => `10.${(++peers >> 16) & 255}.${(peers >> 8) & 255}.${peers & 255}`;
