import { hourlyLimit } from "../../../db/limits/hourly-limits";
import { number } from "../../../views/components/list";
import type { Deps } from "../deps";

/** How long sending takes at the current pace, and whose limit that is: "About 41 minutes, at 5 a second". */
export async function durationOf({ db, mail }: Deps, people: number): Promise<string> {
  const { provider, pace } = mail;
  if (provider.name === "simulated") return "A moment: emails are simulated";
  const perHour = await db.read((orm) => hourlyLimit(orm, "broadcastEmailsPerHour"));
  const fastest = provider.name === "smtp" ? undefined : pace.perSecond * provider.maxBatch;
  if (perHour && (!fastest || perHour / 3_600 < fastest))
    return `${aboutTime((people / perHour) * 3_600)}, at ${number(perHour)} an hour, which is your limit`;
  if (!fastest) return "As fast as your mail server accepts";
  const rounded = Math.max(1, Math.round(fastest));
  return `${aboutTime(people / fastest)}, at ${number(rounded)} a second, as fast as the provider allows`;
}

/** Rounds: below 1, 5 or 10 minutes, then to quarters of an hour, then to hours. */
export function aboutTime(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes <= 1) return "Less than a minute";
  if (minutes <= 10) return `About ${Math.ceil(minutes)} minutes`;
  if (minutes <= 60) return `About ${Math.ceil(minutes / 5) * 5} minutes`;
  if (minutes <= 240) return `About ${Math.ceil(minutes / 15) / 4} hours`;
  return minutes <= 2_880 ? `About ${Math.ceil(minutes / 60)} hours` : `About ${Math.ceil(minutes / 1_440)} days`;
}
