import { Elysia } from "elysia";
import { timingSafeEqual } from "node:crypto";
import { version } from "../../package.json";
import { inTime } from "../../db/async/in-time";
import { isStalled } from "../../db/broadcasts/sending/under-way";
import { isReadOnly, NewerSchema } from "../../db/engine/errors";
import type { Db } from "../../db/engine/open";
import { maxWaitMs } from "../../db/mail/stats";
import * as health from "../../db/ops/health";
import { bareJson, parameter, plainText } from "../openapi/responses";
import type { Config } from "../platform/config";
import { diskSpace, isNearlyFull, littleSpaceText, minFreeBytes } from "../platform/data-dir";
import { described, type Log } from "../platform/log";
import { processLimits } from "../platform/process-limits";
import { contextOf, type RequestContext } from "../platform/request-context";
import { sha256 } from "../security/secrets";
import type { Integrity } from "../telemetry/integrity";
import { databaseGauges, dataGauges, diskGauges, type Metrics, processGauges } from "../telemetry/metrics";
import { isDoctor } from "./doctor-token";

type Deps = Needs & { mail: { metrics(): string }; storage: { calls: { text(): string } } };

const checkIntervalMs = 1_000; // anyone may ask, and each check writes

/** For monitoring (D42): whether the process runs, whether it can work, and its metrics. */
export const operations = (deps: Deps, metrics: Metrics) => {
  const checks = atMostEvery(checkIntervalMs, deps.now, () => readiness(deps));

  return new Elysia()
    .onError(({ code, error }) => {
      if (code === "NOT_FOUND") return;
      deps.log.error("failed", described(error));
      return json({ status: "failed" }, 500);
    })
    .get("/healthz", ({ request }) => json({ status: "ok", ...seenBy(deps, contextOf(request)) }), {
      detail: healthDetail,
    })
    .get(
      "/readyz",
      async () => {
        const results = withIntegrity(await checks(), deps);
        const isReady = Object.values(results).every(({ ok }) => ok);
        return json({ status: isReady ? "ready" : "not ready", checks: results }, isReady ? 200 : 503);
      },
      { detail: readyDetail },
    )
    .get(
      "/metrics",
      async ({ request }) => {
        const refused = refusal(contextOf(request), deps.config.METRICS_TOKEN);
        if (refused) return refused;
        const gauges = {
          ...dataGauges(await health.metrics(deps.db, deps.now())),
          ...processGauges(),
          ...(await diskGauges(deps)),
          ...databaseGauges(deps.db.statistics),
        };
        return new Response(metrics.text(gauges) + deps.storage.calls.text() + deps.mail.metrics(), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
        });
      },
      { detail: metricsDetail },
    );
};

/** For `postroom doctor`, which knows APP_SECRET: that it reached this service, the address it saw, and its limits. */
const seenBy = ({ config, now }: Deps, { address, request }: RequestContext) =>
  isDoctor(config, request.headers.get("postroom-doctor"), now()) && {
    seen: { address, version, limits: processLimits() },
  };

const json = (body: object, status = 200) => Response.json(body, { status, headers: { "cache-control": "no-store" } });

/**
 * Metrics are for programs on this machine, or for those who have METRICS_TOKEN. A proxy on this machine does not count
 * as such a program: what it forwards has a proxy's headers.
 */
function refusal(context: RequestContext, token: string | undefined): Response | undefined {
  const { headers } = context.request;
  const isForwarded = ["x-forwarded-for", "x-real-ip", "forwarded", "via"].some((name) => headers.has(name));
  if (!isForwarded && /^(127\.|::1$)/.test(context.address)) return;
  if (!token) return json({ status: "could not be checked" }, 404);
  const [sent, expected] = [headers.get("authorization") ?? "", `Bearer ${token}`].map((text) =>
    Buffer.from(sha256(text)),
  );
  if (sent && expected && timingSafeEqual(sent, expected)) return;
  const response = json({ status: "unauthorized" }, 401);
  response.headers.set("www-authenticate", "Bearer");
  return response;
}

/** Returns the same result to everyone who asks within `milliseconds`. */
function atMostEvery<T>(milliseconds: number, now: () => Date, work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  let since = 0;
  return () => {
    const at = now().getTime();
    if (!result || Math.abs(at - since) >= milliseconds) [result, since] = [work(), at];
    return result;
  };
}

const healthDetail = {
  operationId: "getLiveness",
  summary: "Liveness check",
  responses: {
    200: bareJson("Health", "The process is running."),
    500: bareJson("Health", "The process is running but unhealthy."),
  },
};
const readyDetail = {
  operationId: "getReadiness",
  summary: "Readiness check",
  description:
    "Checks a database write, the database pages (once an hour), free disk space, whether broadcasts that are being sent get on, and the age of the oldest queued email. Reports how many storage nodes are paused or full.",
  responses: {
    200: bareJson("Health", "Ready."),
    500: bareJson("Health", "The checks could not be run."),
    503: bareJson("Health", "Not ready; see `checks`."),
  },
};
const metricsDetail = {
  operationId: "getMetrics",
  summary: "Prometheus metrics",
  description: "Available locally, or with METRICS_TOKEN as a bearer token.",
  parameters: [parameter("header", "Authorization", "Bearer token; required for remote requests.")],
  responses: {
    200: plainText("Text format 0.0.4."),
    401: bareJson("Health", "Wrong token."),
    404: bareJson("Health", "METRICS_TOKEN is not set; only local requests are allowed."),
    500: bareJson("Health", "The metrics could not be read."),
  },
};

const maxCheckMs = 3_000;

/** What monitoring needs from outside. */
type Needs = { config: Config; db: Db; log: Log; now: () => Date; integrity: Integrity };
type Check = { ok: boolean; detail?: string };
type Checks = Record<string, Check>;

/** The checks of `/readyz` that cost a query each, and one of them a write; see also {@link withIntegrity}. */
async function readiness({ config, db, log, now }: Omit<Needs, "integrity">): Promise<Checks> {
  const check = async (name: string, work: () => Promise<Check>): Promise<[string, Check]> => {
    try {
      return [name, await inTime(work(), maxCheckMs, tooLate)];
    } catch (error) {
      log.error("not ready", { check: name, ...described(error) });
      return [name, { ok: false, detail: detailFor(error) }];
    }
  };
  return Object.fromEntries(
    await Promise.all([
      check("database", async () => {
        await db.probe();
        return { ok: true };
      }),
      check("disk", async () => {
        if (db.isShared) return { ok: true, detail: "not used" };
        const space = await diskSpace(config.DATA_DIR);
        if (space.free < minFreeBytes) return { ok: false, detail: "less than 100 MB free" };
        return { ok: true, ...(isNearlyFull(space) && { detail: littleSpaceText }) };
      }),
      check("storage", async () => ({ ok: true, ...detailOf(await health.unusedNodes(db, now())) })),
      check("broadcasts", async () =>
        (await isStalled(db, now()))
          ? { ok: false, detail: "no email of a broadcast was sent for 15 minutes" }
          : { ok: true },
      ),
      check("mail", async () => {
        const oldest = await health.oldestQueuedMail(db, now());
        const waits = oldest ? now().getTime() - oldest.getTime() : 0;
        return waits < maxWaitMs
          ? { ok: true }
          : { ok: false, detail: "an email has been queued for more than 15 minutes" };
      }),
    ]),
  );
}

/**
 * Adds what is known of the database's pages. Asking costs nothing, so this result is not reused for a second: after a
 * crash, the service is ready as soon as they have been checked.
 */
function withIntegrity(checks: Checks, { integrity }: Pick<Needs, "integrity">): Checks {
  const { isKnown, damage } = integrity.known();
  const detail = damage ? "damaged" : isKnown ? undefined : "is being checked";
  return detail && checks.database?.ok ? { ...checks, database: { ok: false, detail } } : checks;
}

/** What strangers may know of a failure; the rest is for the log. */
const detailFor = (error: unknown): string =>
  isReadOnly(error)
    ? "read-only"
    : error instanceof NewerSchema
      ? "migrated by a newer version; stop this process"
      : "failed";

/** If the database's machine vanishes, the check would not return, nor would the request for it. */
const tooLate = () => new Error("The check took too long.");

/** Reported, but not a failure: everything except uploads works, and a restart would not help. */
function detailOf({ nodes, paused, full }: { nodes: number; paused: number; full: number }): { detail?: string } {
  const problems = [
    ...(paused ? [`${paused} of ${nodes} nodes paused`] : []),
    ...(full ? [`${full} of ${nodes} nodes full`] : []),
  ];
  return problems.length ? { detail: problems.join(", ") } : {};
}
