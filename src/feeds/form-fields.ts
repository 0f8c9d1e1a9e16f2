import type { Deps } from "../boot/deps";

/** Other sites may not subscribe people in a visitor's name. Browsers without these headers are let in. */
export function isOurs({ config }: Deps, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || config.CORS_ORIGINS.has(origin);
}

const maxFormCharacters = 4_096;

/** The fields of the form, or undefined when it is none of ours. */
export async function fieldsOf(request: Request): Promise<Record<string, string> | undefined> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = type === "application/x-www-form-urlencoded" ? await request.text() : undefined;
  if (text === undefined || text.length > maxFormCharacters) return;
  const form = new URLSearchParams(text);
  const isRepeated = [...form.keys()].length !== new Set(form.keys()).size;
  return isRepeated ? undefined : { source: "newsletter", ...Object.fromEntries(form) };
}
