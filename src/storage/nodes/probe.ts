import type { S3 } from "../s3/s3";
import { codeInBody, codeOf } from "../s3/errors";
import { readPrefix } from "../read-prefix";

/** Sends a request to the node as a browser would. */
type Send = (url: string, body: string | null, init?: RequestInit) => Promise<Response>;
type Findings = Record<string, string>;

/** Before an origin, it names the check of that origin’s pages. */
export const corsPrefix = "cors ";

/** The origins whose pages were tried. */
export const originsIn = (findings: Findings): string[] =>
  Object.keys(findings).flatMap((check) => (check.startsWith(corsPrefix) ? [check.slice(corsPrefix.length)] : []));

/** What is found of an origin that our rule does not name, where that rule is left as it is. */
export const notInRule = "not in the rule";

/**
 * Returns for each origin whether its pages may PUT and read the ETag. Has our rule name these origins and no others,
 * where the bucket has rules, unless a rule that is there is kept.
 */
async function pagesMayUpload(
  run: Run,
  { origins, keepsRule = false }: Pick<Options, "origins" | "keepsRule">,
): Promise<Findings> {
  const { s3, send } = run;
  const url = () => firstPartUrl(run);
  const testOrigins = async (): Promise<Findings> =>
    Object.fromEntries(
      await Promise.all(origins.map(async (origin) => [corsPrefix + origin, await mayUpload(origin, url(), send)])),
    );
  const results = await testOrigins();
  const areAllowed = Object.values(results).every((each) => each === "ok");
  const named: string[] = await s3.allowedOrigins().catch(() => []);
  if (areAllowed && named.every((origin) => origins.includes(origin))) return results;
  if (keepsRule && named.length) {
    for (const origin of origins)
      if (results[corsPrefix + origin] !== "ok" && !named.includes(origin)) results[corsPrefix + origin] = notInRule;
    return results;
  }
  const isConfigured = await s3.allowOrigins(origins).then(
    () => true,
    () => false, // it lacks this setting, or our keys may not change it: the fix tells people what to do
  );
  return isConfigured ? testOrigins() : results;
}

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

/** The checks without which no upload can be completed, in the order in which they run. */
export const needed = ["bucket", "initiate", "put", "list", "complete", "stat", "delete"] as const;
type Needed = (typeof needed)[number];

export type Probed = {
  findings: Findings;
  error?: string | undefined;
  signedLength?: boolean | undefined;
  /** The `Server` header; "" if there is none. */
  server?: string | undefined;
};

type Options = {
  /** The origins whose pages upload to the node. */
  origins: readonly string[];
  /** Leaves a rule for pages as it is, because the service may have set it with other origins. */
  keepsRule?: boolean | undefined;
  /** Milliseconds that one call may take. */
  deadline: number;
  /** Throws if a different disk has taken the place of the node's own. */
  confirmDisk?: (s3: S3) => Promise<void>;
};

/** Large enough for servers that read a small body before they look at the request. */
const cut = { part: 3, size: 128 * 1024, sent: 64 * 1024 };
const maxErrorBytes = 16 * 1024;
const maxClockSkewSeconds = 60; // signatures are rejected at fifteen minutes

/** Whether the check passed. */
export const isFine = (check: string, result: string | undefined) =>
  check === "clock" ? Math.abs(Number(result ?? 0)) <= maxClockSkewSeconds : result === "ok";

/**
 * Uploads five bytes from beginning to end, as a client and a page would, six bytes that the node should reject, and some
 * that are interrupted. If CORS does not allow our pages, adds a rule where the server supports it. Cleans up after itself.
 */
export async function probe(endpoint: string, s3: S3, options: Options): Promise<Probed> {
  const { deadline } = options;
  const findings: Findings = {};
  const run: Run = { endpoint, s3, findings, key: `probe/${crypto.randomUUID()}`, upload: "", send: sender(deadline) };
  try {
    for (const name of needed) {
      findings[name] = (await steps[name](run, options).catch(codeOf)) ?? "ok";
      if (findings[name] !== "ok") break;
      if (name !== "put") continue;
      findings.length = await sixth(s3.partUrl(run.key, run.upload, { part: 2, size: 5 }, endpoint), run.send);
      await interrupted(run, deadline);
      Object.assign(findings, await pagesMayUpload(run, options));
    }
  } finally {
    const mayBeThere = findings.initiate !== undefined;
    if (mayBeThere) await s3.forget(run.key, run.upload || undefined).catch(() => undefined); // if this fails, it has already been reported
  }
  const signedLength = findings.length ? findings.length === "ok" : undefined;
  return { findings, error: errorIn(findings), signedLength, server: run.server };
}

/** One probe in progress. */
type Run = {
  readonly endpoint: string;
  readonly s3: S3;
  readonly findings: Findings;
  readonly key: string;
  readonly send: Send;
  /** The upload's ID, once it is open. */
  upload: string;
  server?: string;
};

const firstPartUrl = ({ s3, key, upload }: Run, origin?: string) =>
  s3.partUrl(key, upload, { part: 1, size: 5 }, origin);

/** Each returns what is wrong; undefined if nothing is. */
const steps: Record<Needed, (run: Run, options: Options) => Promise<string | undefined>> = {
  async bucket({ s3 }, { confirmDisk }) {
    await s3.ensureBucket();
    await confirmDisk?.(s3);
    return undefined;
  },
  async initiate(run) {
    run.upload = await run.s3.initiate(run.key, "text/plain", "probe");
    return undefined;
  },
  async put(run) {
    const response = await run.send(firstPartUrl(run, run.endpoint), "12345");
    run.findings.clock = secondsAhead(response.headers.get("date"));
    run.server = nameIn(response);
    return response.ok ? undefined : codeIn(response);
  },
  async list({ s3, key, upload, findings }) {
    const startedAt = performance.now();
    const parts = (await s3.listParts(key, upload)) ?? [];
    findings.milliseconds = String(Math.max(1, Math.round(performance.now() - startedAt)));
    const first = parts.find(({ part, size }) => part === 1 && size === 5);
    if (first?.etag === new Bun.CryptoHasher("md5").update("12345").digest("hex")) findings.etag = "ok";
    return first ? undefined : "Missing";
  },
  async complete({ s3, key, upload }) {
    const parts = (await s3.listParts(key, upload)) ?? [];
    const first = parts.filter(({ part }) => part === 1);
    await s3.complete(key, upload, first);
    return undefined;
  },
  stat: async ({ s3, key }) => ((await s3.stat(key))?.size === 5 ? undefined : "Missing"),
  async delete({ s3, key }) {
    await s3.remove(key);
    return (await s3.stat(key)) ? "Kept" : undefined;
  },
};

/** Follows no redirect from a node: it could lead to anything that this machine can reach. */
const sender =
  (deadline: number): Send =>
  (url, body, init = {}) =>
    fetch(url, { method: "PUT", body, signal: AbortSignal.timeout(deadline), redirect: "manual", ...init });

/** Checks that one byte more than was signed is rejected. A server may also close the connection. */
const sixth = (url: string, send: Send): Promise<string> =>
  send(url, "123456").then(
    ({ ok }) => (ok ? "taken" : "ok"),
    () => "ok",
  );

/** Checks that an interrupted PUT is not listed as if all its bytes had arrived. What could not be found out stays unknown. */
async function interrupted({ endpoint, s3, key, upload, findings }: Run, deadline: number): Promise<void> {
  const { cutOff } = await import("../s3/raw-put"); // on first use, because it loads TLS
  const { part, size, sent } = cut;
  try {
    await cutOff(s3.partUrl(key, upload, { part, size }, endpoint), { size, sent, deadline });
    const listed = (await s3.listParts(key, upload)) ?? [];
    findings.cut = listed.some((each) => each.part === part && each.size === size) ? "listed" : "ok";
  } catch {}
}

/** Returns the S3 error code in a response, or its status. */
const codeIn = async (response: Response) =>
  codeInBody(String(await readPrefix(response, maxErrorBytes))) ?? `Status${response.status}`;

/**
 * Returns the server's name if it is short. Ceph before version 17 does not send one, but has recognisable request IDs.
 */
function nameIn({ headers }: Response): string {
  const name = headers.get("server") ?? "";
  if (name) return /^[\w .()/-]{1,64}$/.test(name) ? name : "";
  return /^tx[\da-f]{21}-[\da-f]{10}-/.test(headers.get("x-amz-request-id") ?? "") ? "Ceph" : "";
}

const secondsAhead = (date: string | null) => String(Math.round((Date.parse(date ?? "") - Date.now()) / 1000) || 0); // 0 if there is no readable date

/** Returns what keeps uploads from working, if anything. */
function errorIn(findings: Findings): string | undefined {
  const broken = needed.find((name) => findings[name] !== undefined && findings[name] !== "ok");
  return broken && `${broken}: ${findings[broken]}`;
}
