import { isIP } from "node:net";
import * as tls from "node:tls";
import { dayMs } from "../../db/lib/time";

/** From when until when a certificate is valid. */
export type Validity = { start: Date; end: Date };

/** How long before its end a certificate has to be renewed: most are renewed automatically before. */
const renewBeforeDays = 14;
/** Of a certificate for 45 days or for six, it is renewed later, when a third of them is left. */
const renewBeforeShare = 1 / 6;

const waitLimitMs = 10_000;

/**
 * Returns the validity of this host's certificate, whoever issued it and even if it has ended.
 *
 * @throws if there is no answer within ten seconds
 */
export const certificateValidity = (host: string, port: number): Promise<Validity> =>
  new Promise((resolve, reject) => {
    const servername = isIP(host) ? {} : { servername: host };
    const socket = tls.connect({ host, port, ...servername, rejectUnauthorized: false, timeout: waitLimitMs }, () => {
      const { valid_from, valid_to } = socket.getPeerCertificate(); // nothing is sent: only the dates are of interest
      const [start, end] = [new Date(valid_from), new Date(valid_to)];
      if (Number.isNaN(end.getTime())) reject(new Error("No certificate"));
      resolve({ start, end });
      socket.end();
    });
    socket.on("error", reject).on("timeout", () => socket.destroy(new Error("ETIMEDOUT")));
  });

/** Returns the days until then, rounded down; negative after it. */
export const daysUntil = (end: Date, now: Date): number => Math.floor((end.getTime() - now.getTime()) / dayMs);

/** Returns whether a certificate ends so soon that it should have been renewed: within 14 days, or a sixth of its time. */
export function endsSoon({ start, end }: Validity, now: Date): boolean {
  const renewBeforeMs = Math.min(renewBeforeDays * dayMs, (end.getTime() - start.getTime()) * renewBeforeShare);
  return end.getTime() - now.getTime() < renewBeforeMs;
}
