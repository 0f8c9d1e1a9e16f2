import type { Config } from "../platform/config";

/**
 * Other sites must not send forms on a visitor's behalf. Browsers that do not send these headers are accepted.
 */
export function isFromAllowedOrigin({ CORS_ORIGINS }: Config, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || CORS_ORIGINS.has(origin);
}

/** Returns the fields of the form with these names; undefined if it repeats one of them. */
export function fieldsIn(form: URLSearchParams, names: string[]): Record<string, string> | undefined {
  const entries = [...form].filter(([name]) => names.includes(name));
  const fields = Object.fromEntries(entries);
  return Object.keys(fields).length === entries.length ? fields : undefined;
}
