import { timingSafeEqual } from "node:crypto";
import type { Config } from "../platform/config";
import { keyedHash } from "../security/secrets";

const validMs = 5 * 60_000;

type Secret = Pick<Config, "APP_SECRET">;

const proofOf = ({ APP_SECRET }: Secret, time: string) => keyedHash(APP_SECRET, "doctor", time);

/** What `postroom doctor` sends to be recognised: the time, and proof that it knows APP_SECRET. */
export const doctorToken = (config: Secret, now: Date): string =>
  `${now.getTime()}.${proofOf(config, String(now.getTime()))}`;

/** Whether a request comes from a `postroom doctor` of this installation, and of the last five minutes. */
export function isDoctor(config: Secret, token: string | null, now: Date): boolean {
  const [, time, proof] = /^(\d{1,15})\.([\w-]{43})$/.exec(token ?? "") ?? [];
  if (time === undefined || proof === undefined || Math.abs(now.getTime() - Number(time)) > validMs) return false;
  return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(config, time)));
}
