import type { S3 } from "../s3/s3";
import { codeOf } from "../s3/errors";

/** Sends a request to the node as a browser would. */
export type Send = (url: string, body: string | null, init?: RequestInit) => Promise<Response>;
type Findings = Record<string, string>;

/**
 * Returns for each origin whether its pages may PUT and read the ETag. Has our rule name these origins and no others,
 * where the bucket has rules.
 */
export async function pagesMayUpload(
  s3: S3,
  origins: readonly string[],
  url: () => string,
  send: Send,
): Promise<Findings> {
  const ask = async () =>
    Object.fromEntries(
      await Promise.all(origins.map(async (origin) => [`cors ${origin}`, await mayUpload(origin, url(), send)])),
    ) as Findings;
  const found = await ask();
  const areAllowed = Object.values(found).every((each) => each === "ok");
  if (areAllowed && !(await allowsOthers(s3, origins))) return found;
  const isConfigured = await s3.allowOrigins(origins).then(
    () => true,
    () => false, // it lacks this setting, or our keys may not change it: the fix tells people what to do
  );
  return isConfigured ? ask() : found;
}

/** Whether our rule names an origin that has been removed from the configuration. */
const allowsOthers = async (s3: S3, origins: readonly string[]): Promise<boolean> =>
  (await s3.allowedOrigins().catch(() => [])).some((origin) => !origins.includes(origin));

async function mayUpload(origin: string, url: string, send: Send): Promise<string> {
  try {
    const preflight = await send(url, null, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "PUT" },
    });
    if (!names(preflight, "access-control-allow-origin", origin)) return "refused";
    if (!names(preflight, "access-control-allow-methods", "PUT")) return "no PUT";
    const put = await send(url, "12345", { headers: { origin } });
    return names(put, "access-control-expose-headers", "ETag") ? "ok" : "no ETag";
  } catch (error) {
    return codeOf(error);
  }
}

const names = ({ headers }: Response, header: string, wanted: string) =>
  (headers.get(header) ?? "")
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .some((each) => each === "*" || each === wanted.toLowerCase());
