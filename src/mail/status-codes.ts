/* The codes of RFC 3463 that say more than that an email was not delivered. */

const noSuchMailbox = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"]);

/** Whether the recipient's address does not exist, and will not exist tomorrow. */
export const isGone = (status: string): boolean => noSuchMailbox.has(status);

export const mailboxFull = "5.2.2";
