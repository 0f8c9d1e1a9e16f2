import type { z } from "zod";
import type { Flags } from "../command";

/** The flags that say what a node is. */
export const fields = [
  "endpoint",
  "public-endpoint",
  "region",
  "bucket",
  "access-key",
  "capacity",
  "stale-upload-hours",
  "max-put",
];
export const texts = (names: string[]) => Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));

/** Maps flags to field names: --access-key becomes accessKey. */
export const named = (flags: Flags) =>
  Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [flag.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), value]),
  );

/** @throws naming what is wrong */
export function read<T>(schema: z.ZodType<T>, given: object): T {
  const { data, error } = schema.safeParse(given);
  if (!error) return data as T;
  throw new Error(error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
}

export const secretFromStdin = async () => (await Bun.stdin.text()).trim();

export const addressFlags = "[--region=R] [--public-endpoint=URL] [--stale-upload-hours=24] [--max-put=5TB]";
