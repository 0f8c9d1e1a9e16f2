import { hourMs } from "../../db/lib/time";
import { ownerEmail } from "../../db/contact/owner";
import type { Db } from "../../db/engine/open";
import { record, rowsOf } from "../../db/ops/alerts";
import { certificateValidity, type Validity } from "../platform/certificate";
import type { Config } from "../platform/config";
import { diskSpace } from "../platform/data-dir";
import { described, type Log } from "../platform/log";
import { alerts, alertNamed, type Situation } from "./alerts";

const defaultConfirmMs = 50_000; // seen by two checks in a row, which are not exactly a minute apart
const certificateEveryMs = hourMs;

export type Needs = { config: Config; db: Db; log: Log; now: () => Date };
/** What the checks ask outside the database; tests pass doubles. */
type Outside = Pick<Situation, "diskSpace" | "certificateValidity">;

/** The disk and the network, whose certificates are asked for once an hour. */
export function outside(now: () => Date, askedFor = certificateValidity): Outside {
  const answers = new Map<string, { at: number; validity: Promise<Validity | undefined> }>();
  return {
    diskSpace,
    certificateValidity(host, port) {
      const name = `${host} ${port}`;
      const last = answers.get(name);
      const at = now().getTime();
      if (last && Math.abs(at - last.at) < certificateEveryMs) return last.validity;
      const validity = askedFor(host, port).catch(() => last?.validity);
      answers.set(name, { at, validity });
      return validity;
    },
  };
}

/** Returns what checks everything, and remembers certificates in between. */
export function watcher(needs: Needs, signal: AbortSignal): () => Promise<void> {
  const asked = { ...outside(needs.now), signal };
  return () => checkAlerts(needs, asked);
}

/** Checks everything once, and tells what has changed. A check that fails changes nothing. */
export async function checkAlerts(
  { config, db, log, now }: Needs,
  { signal, ...asked }: Outside & { signal?: AbortSignal },
) {
  const recipient = await ownerEmail({ config, db });
  for (const name of Object.keys(alerts)) {
    const alert = alertNamed(name);
    if (!alert || signal?.aborted) return;
    try {
      const told = new Set((await rowsOf(db, name)).filter(({ toldAt }) => toldAt).map(({ subject }) => subject));
      const isTold = (subject: string) => told.has(subject);
      const { faults, unknown = [] } = await alert.check({ config, db, now: now(), isTold, ...asked });
      const telling = {
        confirmMs: alert.confirmMs ?? defaultConfirmMs,
        recipient: alert.email ? recipient : undefined,
      };
      for (const { change, alert: row } of await record(db, { name, faults, unknown }, telling, now()))
        log.warn(`alert ${change}`, { name, subject: row.subject, title: row.title });
    } catch (error) {
      if (!signal?.aborted) log.error("alert not checked", { name, ...described(error) });
    }
  }
}
