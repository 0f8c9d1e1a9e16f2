import { compose } from "../../src/emails/compose";
import type { Compose } from "../../src/mail/deliver";
import * as worker from "../../src/mail/worker";

type Needs = Parameters<typeof worker.startWorker>[0];

/** Writes the emails of the outbox as the service does. */
export const composer =
  (needs: Pick<Needs, "config" | "db">): Compose =>
  (mail) =>
    compose(needs, mail);

/** Starts the worker of the outbox as the service does, and waits for every provider as long as for SMTP, because the machine may be busy. */
export const startWorker = (needs: Omit<Needs, "compose">, timing?: Parameters<typeof worker.startWorker>[1]) =>
  worker.startWorker({ ...needs, compose: composer(needs) }, { timeoutMs: 40_000, ...timing });
