import { z } from "zod";
import type { Verdict } from "../../db/storage/verification";

const maxReason = 200; // characters

const Answer = z.object({
  accept: z.boolean(),
  reason: z.string().catch(""),
});

/** Reads what an endpoint decided about an upload; undefined if its response does not say so. @param by its name */
export function verdictIn(body: Uint8Array | undefined, by: string): Verdict | undefined {
  const { data } = Answer.safeParse(parsed(new TextDecoder().decode(body)));
  if (!data) return undefined;
  const reason = data.reason.replace(/[\p{C}\s]+/gu, " ").trim();
  return data.accept
    ? { isAccepted: true }
    : { isAccepted: false, by, reason: [...reason].slice(0, maxReason).join("") };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
