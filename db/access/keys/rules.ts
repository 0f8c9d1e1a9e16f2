import { and, eq, gt, isNull, or } from "drizzle-orm";
import { apiKeys } from "../../schema/access";

type Ends = { active: boolean; expiresAt: Date | null };

/** Whether a key is accepted: not deactivated, and not expired. */
export const isAccepted = ({ active, expiresAt }: Ends, now: Date) => active && (!expiresAt || expiresAt > now);

/** The same, as a condition. */
export const isAcceptedKey = (now: Date) =>
  and(eq(apiKeys.active, true), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
