export const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

type Status = "active" | "unsubscribed" | "unconfirmed";

/** What other systems call each status. A word that is not listed makes no one active (P187). */
const statuses: Record<Status, string> = {
  active:
    "active subscribed enabled confirmed regular premium paid free gifted gift comp complimentary trialed churning yes true 1",
  unsubscribed:
    "unsubscribed nonsubscribed disabled blocklisted blacklisted blocked bounced cleaned complained complaint spam spammy undeliverable removed suppressed inactive archived deleted cancelled optedout no false 0",
  unconfirmed: "unconfirmed pending unactivated notconfirmed invited",
};
const byWord = new Map(
  Object.entries(statuses).flatMap(([status, words]) => words.split(" ").map((word) => [word, status as Status])),
);

/** Returns the status that a word means; undefined if it is unknown. */
export const statusOf = (text: string): Status | undefined => (text.length <= 50 ? byWord.get(plain(text)) : undefined);

/** Whether a column about leaving says that the person left: a date, "yes", or anything except "no". */
export const hasLeft = (text: string): boolean => !["", "no", "false", "0", "null"].includes(text.trim().toLowerCase());
