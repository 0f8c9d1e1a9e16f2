import type { Db } from "../../../db/engine/open";
import type { Answers } from "../../mail/sender-records";
import type { Config } from "../../platform/config";
import type { Validity } from "../../platform/certificate";
import type { DiskSpace } from "../../platform/data-dir";

/** What a check found, and what to do about it. */
export type Finding = { check: string; verdict: "ok" | "warn" | "wrong"; text: string };

export type Answer = { status: number; headers: Headers; text: string };

/** What the checks need from outside; tests pass doubles, so that none needs the internet. */
export type Tools = {
  now: () => Date;
  /** GET without following redirects. @throws if there is no answer in time */
  ask(url: string, headers?: Record<string, string>): Promise<Answer>;
  /** Each is empty if there is no such record, and some are undefined if DNS does not answer. */
  dns: {
    txt(name: string): Answers;
    addresses(name: string): Promise<string[]>;
    names(address: string): Promise<string[]>;
    /** The servers that accept a domain's emails (MX). */
    mailServers(name: string): Answers;
  };
  /** The disk that a folder is on, and the number by which Linux knows its file system. */
  diskOf(folder: string): Promise<DiskSpace & { type: number }>;
  /** The addresses of this machine. */
  ownAddresses: string[];
  /** Whether something keeps this machine's clock right; undefined if the system does not say. */
  isClockSynchronized(): Promise<boolean | undefined>;
  /** How many milliseconds systemd gives a unit to stop; undefined if there is no such unit. */
  stopTimeOf(unit: string): Promise<number | undefined>;
  /** From when until when the certificate of this host is valid. */
  certificateValidity(host: string, port: number): Promise<Validity>;
};

export type Patient = {
  config: Config;
  tools: Tools;
  /** Undefined if it cannot be opened without changing it, or does not exist yet. */
  db: Db | undefined;
};

/** Makes the findings of one check. */
export const findings = (check: string) => ({
  ok: (text: string): Finding => ({ check, verdict: "ok", text }),
  warn: (text: string): Finding => ({ check, verdict: "warn", text }),
  wrong: (text: string): Finding => ({ check, verdict: "wrong", text }),
});

/** Where Resend's API is, unless RESEND_BASE_URL says otherwise. */
export const resendUrl = "https://api.resend.com";

/** The code of an error, such as ECONNREFUSED, or its message. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? "code" in error && typeof error.code === "string"
      ? error.code
      : error.message
    : String(error);
