import { isIP } from "node:net";
import * as tls from "node:tls";
import { dayMs } from "../../db/lib/time";

/** From so many days before its end, a certificate has to be renewed: most are renewed automatically before. */
export const renewBeforeDays = 14;

const waitLimitMs = 10_000;

/**
 * Returns until when the certificate of this host is valid, whoever issued it and even if it has ended.
 *
 * @throws if there is no answer within ten seconds
 */
export const certificateEnd = (host: string, port: number): Promise<Date> =>
  new Promise((resolve, reject) => {
    const servername = isIP(host) ? {} : { servername: host };
    const socket = tls.connect({ host, port, ...servername, rejectUnauthorized: false, timeout: waitLimitMs }, () => {
      const end = new Date(socket.getPeerCertificate().valid_to); // nothing is sent: only the date is of interest
      if (Number.isNaN(end.getTime())) reject(new Error("No certificate"));
      resolve(end);
      socket.end();
    });
    socket.on("error", reject).on("timeout", () => socket.destroy(new Error("ETIMEDOUT")));
  });

/** Returns the days until then, rounded down; negative after it. */
export const daysUntil = (end: Date, now: Date): number => Math.floor((end.getTime() - now.getTime()) / dayMs);
