import type { Db } from "../../../db/engine/open";
import type { Config } from "../../config";
import type { RequestContext } from "../../http/request-context";
import type { Refusal } from "../refusal";
import { keyedHash } from "../secrets";
import type { Limit, Verdict } from "./ring";

export type Limits = {
  /** Counts one request; where the database belongs to this process, in memory only. */
  take(limit: Limit, client: string, at?: number): Verdict | Promise<Verdict>;
  /** The same for what is asked very often: several processes may admit a few less than `max` together. */
  takeFromBlock(limit: Limit, client: string, at: number): Verdict | Promise<Verdict>;
  /** Counts one request of a visitor and has it on disk before the response leaves. */
  admit(limit: Limit, context: RequestContext): Promise<Refusal | undefined>;
  /** Takes one attempt that counts unless `forgive` gives it back; `keep` has it on disk, for the next start. */
  attempt(limit: Limit, client: string): Promise<Attempt>;
  /** Deletes from disk what no window needs any more. */
  sweep(): Promise<void>;
};
type Attempt = { verdict: Verdict; forgive: () => Promise<void>; keep: () => Promise<void> };

/** The limits of the contract (spec part 8) and ours. */
export const limits = {
  subscribe: { name: "subscribe", max: 5, seconds: 600 },
  contact: { name: "contact", max: 5, seconds: 600 },
  key: { name: "key", max: 600, seconds: 60 },
  signIn: { name: "sign-in", max: 5, seconds: 900 },
  account: { name: "account", max: 10, seconds: 3600 },
  passkey: { name: "passkey", max: 30, seconds: 900 },
  webhook: { name: "webhook", max: 60, seconds: 60 }, // reports with a bad signature
} satisfies Record<string, Limit>;
export const all: Limit[] = Object.values(limits);

export type Needs = { db: Db; config: Config; now: () => Date };

export const hashWith = (config: Config) => (client: string) => keyedHash(config.APP_SECRET, "rate-limit", client);
export const hourBefore = (now: Date) => new Date(now.getTime() - 3_600_000); // no window is longer
