import type { Deps } from "../boot/deps";

/**
 * Other sites must not subscribe people on a visitor's behalf. Browsers that do not send these headers are accepted.
 */
export function isOurs({ config }: Deps, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || config.CORS_ORIGINS.has(origin);
}

const maxFormCharacters = 4_096;

/** Returns the fields of the form; undefined if it is not one of ours. */
export async function fieldsOf(request: Request): Promise<Record<string, string> | undefined> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = type === "application/x-www-form-urlencoded" ? await request.text() : undefined;
  if (text === undefined || text.length > maxFormCharacters) return;
  const form = new URLSearchParams(text);
  const isRepeated = [...form.keys()].length !== new Set(form.keys()).size;
  return isRepeated ? undefined : { source: "newsletter", ...Object.fromEntries(form) };
}
