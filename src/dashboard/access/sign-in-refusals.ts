import * as audit from "../../../db/audit";
import * as managers from "../../../db/access/managers";
import type { Deps } from "../deps";
import { contextOf } from "../../platform/request-context";
import { inWords } from "./attempts";

/** Shows the form again, with the problem. */
export type Again = (problem: string, status: number) => Response;

export function tooOften(request: Request, wait: number, again: Again) {
  contextOf(request).headers["retry-after"] = String(wait);
  return again(`Too many failed attempts. Try again ${inWords(wait)}.`, 429);
}

export function busy(request: Request, again: Again) {
  contextOf(request).headers["retry-after"] = "2";
  return again("The server is busy. Try again in a few seconds.", 503);
}

/** The address is recorded only if it belongs to a manager: otherwise it may be a password in the wrong field. */
export const noteFailure = (
  { db, now }: Deps,
  request: Request,
  manager: managers.Manager | undefined,
  method: "password" | "two-step code" | "passkey",
  details: Record<string, string> = {},
) =>
  audit.note(
    db,
    {
      actor: "visitor",
      address: contextOf(request).address,
      action: "session.refuse",
      targetId: manager?.id,
      target: manager?.email,
      details: { method, ...details },
    },
    now(),
  );
