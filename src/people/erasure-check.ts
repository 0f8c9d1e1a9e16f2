import type { Db } from "../../db/engine/open";
import { Background } from "../../db/async/background";
import { scrub } from "../../db/ops/scrub";
import { checked, type erasePerson, unchecked } from "../../db/people/erasures";
import { addressOf } from "../../db/people/traces";
import { described, type Log } from "../platform/log";

type Erased = Awaited<ReturnType<typeof erasePerson>>;
type Limits = { maxVacuumBytes: number; now: () => Date; signal?: AbortSignal };

/** Larger database files are rewritten only by the command line, because writes wait for it. */
const maxVacuumBytes = 512 * 2 ** 20;

/**
 * Empties the log of the embedded database, searches the rest of the file for the address, and records how often it was
 * found. A file larger than `maxVacuumBytes` is not rewritten. PostgreSQL cleans up in its own time.
 */
export async function checkFile(
  db: Db,
  { id, scope }: Pick<Erased, "id" | "scope">,
  email: string,
  { maxVacuumBytes, now, signal }: Limits,
): Promise<number | undefined> {
  if (!db.file) return;
  const isWhole = scope.includes("subscription") && scope.includes("messages"); // otherwise the rest of the file may still contain the address
  const forms = isWhole ? inCapitalsToo(addressOf(email).forms) : [];
  const occurrences = await scrub(db, { forms, maxVacuumBytes, mustRewrite: false }, { signal });
  const remnants = isWhole ? occurrences : undefined;
  await checked(db, id, remnants, now());
  return remnants;
}

/** The search ignores the case of the letters a to z only. */
const inCapitalsToo = (forms: string[]) => [...new Set(forms.flatMap((form) => [form, form.toUpperCase()]))];

/** The checks that wait, and those that failed, by erasure: only they know the address. */
type Waiting = {
  queue: Promise<void>;
  addresses: Map<string, string>;
  failed: Set<string>;
  background: Background;
  /** Ends the check that is running. */
  ending: AbortController;
};
const waiting = new WeakMap<Db, Waiting>();
const waitingFor = (db: Db): Waiting => {
  const existing = waiting.get(db);
  if (existing) return existing;
  const begun: Waiting = {
    queue: Promise.resolve(),
    addresses: new Map(),
    failed: new Set(),
    background: new Background(() => undefined),
    ending: new AbortController(),
  };
  waiting.set(db, begun);
  return begun;
};

type Needs = { db: Db; log: Log; now: () => Date };

/** Checks the file after those before it. A check that fails is repeated by `repeatChecks`. */
export function checkLater({ db, log, now }: Needs, { id, scope }: Pick<Erased, "id" | "scope">, email: string) {
  const all = waitingFor(db);
  all.addresses.set(id, email);
  all.queue = all.queue.then(async () => {
    if (all.background.signal.aborted) return;
    try {
      await checkFile(db, { id, scope }, email, { maxVacuumBytes, now, signal: all.ending.signal });
      all.addresses.delete(id);
      all.failed.delete(id);
    } catch (error) {
      all.failed.add(id);
      if (!all.background.isAbandoned) log.error("not checked", { erasure: id, ...described(error) });
    }
  });
  all.background.run(() => all.queue);
  return all.queue;
}

/** Begins no more checks, and ends the one that takes long. After the next start, `repeatChecks` does them. */
export async function stopChecks(db: Db): Promise<void> {
  const { background, ending } = waitingFor(db);
  await background.close();
  ending.abort();
}

/** Whether the last check of this erasure failed. */
export const hasFailed = (db: Db, id: string): boolean => waiting.get(db)?.failed.has(id) ?? false;

/**
 * Repeats the checks that failed. After a restart no one knows the address any longer: the file is rewritten instead,
 * so that nothing deleted is left in it.
 */
export async function repeatChecks({ db, log, now }: Needs): Promise<void> {
  if (!db.file) return;
  const { addresses, ending, failed } = waitingFor(db);
  const due = await unchecked(db);
  const forgotten = due.filter(({ id }) => !addresses.has(id));
  for (const erasure of due) {
    const email = failed.has(erasure.id) ? addresses.get(erasure.id) : undefined;
    if (email !== undefined) await checkLater({ db, log, now }, erasure, email);
  }
  if (!forgotten.length) return;
  await scrub(db, { forms: [], maxVacuumBytes, mustRewrite: true }, { signal: ending.signal });
  for (const { id } of forgotten) await checked(db, id, undefined, now());
}
