import type { Deps } from "./deps";
import { formType } from "../openapi/responses";

/**
 * Other sites must not subscribe people on a visitor's behalf. Browsers that do not send these headers are accepted.
 */
export function isOurs({ config }: Deps, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || config.CORS_ORIGINS.has(origin);
}

const maxFormCharacters = 4_096;

/** Returns the fields of the form with these names; undefined if it is not one of ours, or repeats one of them. */
export async function fieldsOf(request: Request, names: string[]): Promise<Record<string, string> | undefined> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = type === formType ? await request.text() : undefined;
  if (text === undefined || text.length > maxFormCharacters) return;
  const form = new URLSearchParams(text);
  const known = [...form].filter(([name]) => names.includes(name));
  const fields = Object.fromEntries(known);
  return Object.keys(fields).length === known.length ? fields : undefined;
}
