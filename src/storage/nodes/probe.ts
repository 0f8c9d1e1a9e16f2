import { readPrefix } from "../read-prefix";
import type { S3 } from "../s3/s3";
import { codeOf } from "../s3/errors";
import { pagesMayUpload, type Send } from "./browser-access";

/** Without these no upload comes to an end, in the order in which they are tried. */
export const needed = ["bucket", "initiate", "put", "list", "complete", "stat", "delete"] as const;
type Needed = (typeof needed)[number];

/**
 * What was found, check by check: "ok", or what is wrong in one word. A check that is not named was not reached.
 * Besides those needed: `length` ("taken" when a byte too many is), `cors <origin>`, `clock` (seconds that the server is
 * ahead), `milliseconds` (one call).
 */
export type Findings = Record<string, string>;

export type Probed = {
  findings: Findings;
  error?: string | undefined;
  signedLength?: boolean | undefined;
  /** What the server calls itself; "" when it does not say. */
  server?: string | undefined;
};

type Options = {
  /** Those whose pages upload. */
  origins: readonly string[];
  /** Milliseconds that one call may take. */
  deadline: number;
  /** Throws when another disk is in the place of the node's own. */
  confirmDisk?: (s3: S3) => Promise<void>;
};

const maxErrorBytes = 16 * 1024;
const maxClockSkewSeconds = 60; // signatures are refused at fifteen minutes

/** Whether the check went well. */
export const isFine = (check: string, found: string | undefined) =>
  check === "clock" ? Math.abs(Number(found ?? 0)) <= maxClockSkewSeconds : found === "ok";

/**
 * An upload of five bytes from beginning to end, as a client and as a page would do it, and one of six that the node
 * should refuse. Where pages are not let in, and the server can be configured, it is. Leaves nothing behind.
 */
export async function probe(endpoint: string, s3: S3, options: Options): Promise<Probed> {
  const { origins, deadline } = options;
  const findings: Findings = {};
  const run: Run = { endpoint, s3, findings, key: `probe/${crypto.randomUUID()}`, upload: "", send: sender(deadline) };
  try {
    for (const name of needed) {
      findings[name] = (await steps[name](run, options).catch(codeOf)) ?? "ok";
      if (findings[name] !== "ok") break;
      if (name !== "put") continue;
      findings.length = await sixth(s3.partUrl(run.key, run.upload, { part: 2, size: 5 }, endpoint), run.send);
      Object.assign(findings, await pagesMayUpload(s3, origins, () => firstPartUrl(run), run.send));
    }
  } finally {
    const mayBeThere = findings.initiate !== undefined;
    if (mayBeThere) await s3.forget(run.key, run.upload || undefined).catch(() => undefined); // reported already, when it cannot
  }
  const signedLength = findings.length ? findings.length === "ok" : undefined;
  return { findings, error: errorIn(findings), signedLength, server: run.server };
}

/** One probe on its way. */
type Run = {
  readonly endpoint: string;
  readonly s3: S3;
  readonly findings: Findings;
  readonly key: string;
  readonly send: Send;
  /** The id of the upload, once it is open. */
  upload: string;
  server?: string;
};

const firstPartUrl = ({ s3, key, upload }: Run, origin?: string) =>
  s3.partUrl(key, upload, { part: 1, size: 5 }, origin);

/** Each finds what is wrong, or undefined. */
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
    return parts.some(({ part, size }) => part === 1 && size === 5) ? undefined : "Missing";
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

/** A node that leads elsewhere is not followed: it could lead to whatever this machine can reach. */
const sender =
  (deadline: number): Send =>
  (url, body, init = {}) =>
    fetch(url, { method: "PUT", body, signal: AbortSignal.timeout(deadline), redirect: "manual", ...init });

/** Whether a byte more than was signed is refused. A server may also hang up on it. */
const sixth = (url: string, send: Send): Promise<string> =>
  send(url, "123456").then(
    ({ ok }) => (ok ? "taken" : "ok"),
    () => "ok",
  );

/** The S3 code in an answer, or its status. */
const codeIn = async (response: Response) =>
  /<Code>(\w{1,64})<\/Code>/.exec(String(await readPrefix(response, maxErrorBytes)))?.[1] ?? `Status${response.status}`;

/** What a server calls itself, when that is short. A Ceph before 17 says nothing, but numbers its requests as no other. */
function nameIn({ headers }: Response): string {
  const name = headers.get("server") ?? "";
  if (name) return /^[\w .()/-]{1,64}$/.test(name) ? name : "";
  return /^tx[\da-f]{21}-[\da-f]{10}-/.test(headers.get("x-amz-request-id") ?? "") ? "Ceph" : "";
}

const secondsAhead = (date: string | null) => String(Math.round((Date.parse(date ?? "") - Date.now()) / 1000) || 0); // no date, or none that can be read: 0

/** What keeps uploads from working, if anything does. */
function errorIn(findings: Findings): string | undefined {
  const broken = needed.find((name) => findings[name] !== undefined && findings[name] !== "ok");
  return broken && `${broken}: ${findings[broken]}`;
}
