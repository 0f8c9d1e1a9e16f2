import { createHmac } from "node:crypto";
import { deriveKey } from "../secrets";

/**
 * Returns the token of an invitation sent by email. It is derived from a random seed in the email's row, so that every
 * attempt sends the same link, and the database alone does not reveal it.
 */
export const invitationToken = ({ APP_SECRET }: { APP_SECRET: string }, seed: string): string =>
  createHmac("sha256", deriveKey(APP_SECRET, "invitation/v1")).update(seed).digest("base64url");
