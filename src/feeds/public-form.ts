import { formType } from "../openapi/responses";
import type { Config } from "../platform/config";

/**
 * Other sites must not send forms on a visitor's behalf. Browsers that do not send these headers are accepted.
 */
export function isFromAllowedOrigin({ CORS_ORIGINS }: Config, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || CORS_ORIGINS.has(origin);
}

/** Returns the fields of the form with these names; undefined if it is not one of ours, or repeats one of them. */
export async function fieldsOf(
  request: Request,
  names: string[],
  maxCharacters: number,
): Promise<Record<string, string> | undefined> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = type === formType ? await request.text() : undefined;
  if (text === undefined || text.length > maxCharacters) return;
  const form = new URLSearchParams(text);
  const entries = [...form].filter(([name]) => names.includes(name));
  const fields = Object.fromEntries(entries);
  return Object.keys(fields).length === entries.length ? fields : undefined;
}
