import { Elysia } from "elysia";
import { timingSafeEqual } from "node:crypto";
import { statfs } from "node:fs/promises";
import { isStalled } from "../../db/broadcasts/sending/figures";
import * as health from "../../db/ops/health";
import type { Deps } from "../boot/deps";
import { dataGauges, databaseGauges, processGauges } from "./gauges";
import { described } from "./log";
import type { Metrics } from "./metrics";
import { sha256 } from "../security/secrets";
import { type RequestContext, contextOf } from "../http/request-context";
import { healthDetail, metricsDetail, readyDetail } from "./health-docs";
import { atMostEvery } from "./at-most-every";

const minFreeBytes = 100 * 2 ** 20; // in DATA_DIR
const maxMailWaitMs = 15 * 60_000; // in the outbox
const maxCheckMs = 3_000;
const checkIntervalMs = 1_000; // anybody may ask, and each check writes

type Check = { ok: boolean; detail?: string };

/** What watches the service asks here (D42): is the process there, can it work, and what does it do. */
export const operations = (deps: Deps, metrics: Metrics) => {
  const checks = atMostEvery(checkIntervalMs, deps.now, () => readiness(deps));

  return new Elysia()
    .onError(({ code, error }) => {
      if (code === "NOT_FOUND") return;
      deps.log.error("failed", described(error));
      return json({ status: "failed" }, 500);
    })
    .get("/healthz", () => json({ status: "ok" }), { detail: healthDetail })
    .get(
      "/readyz",
      async () => {
        const found = await checks();
        const isReady = Object.values(found).every(({ ok }) => ok);
        return json({ status: isReady ? "ready" : "not ready", checks: found }, isReady ? 200 : 503);
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
          ...databaseGauges(deps.db.statistics),
        };
        return new Response(metrics.text(gauges) + deps.storage.calls.text() + deps.mail.metrics(), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
        });
      },
      { detail: metricsDetail },
    );
};

const json = (body: object, status = 200) => Response.json(body, { status, headers: { "cache-control": "no-store" } });

async function readiness({ config, db, integrity, log, now }: Deps): Promise<Record<string, Check>> {
  const check = async (name: string, work: () => Promise<Check>): Promise<[string, Check]> => {
    try {
      return [name, await inTime(work())];
    } catch (error) {
      log.error("not ready", { check: name, ...described(error) });
      return [name, { ok: false, detail: "failed" }]; // the reason is for the log, not for strangers
    }
  };
  return Object.fromEntries(
    await Promise.all([
      check("database", async () => {
        await db.probe();
        const { isKnown, damage } = integrity.known();
        if (damage) return { ok: false, detail: "damaged" };
        return isKnown ? { ok: true } : { ok: false, detail: "is being checked" };
      }),
      check("disk", async () => {
        if (db.isShared) return { ok: true, detail: "not used" };
        const { bavail, bsize } = await statfs(config.DATA_DIR);
        return bavail * bsize >= minFreeBytes ? { ok: true } : { ok: false, detail: "less than 100 MB free" };
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
        return waits < maxMailWaitMs
          ? { ok: true }
          : { ok: false, detail: "an email has been queued for more than 15 minutes" };
      }),
    ]),
  );
}

/** A database that is gone without a word would leave the question unanswered, and whoever asks in doubt. */
function inTime<T>(check: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("The check took too long.")), maxCheckMs);
  return Promise.race([check, late.promise]).finally(() => clearTimeout(timer));
}

/** Reported, but no reason to send visitors elsewhere: all but uploads works, and no restart would mend it (P85). */
function detailOf({ nodes, resting, full }: { nodes: number; resting: number; full: number }): { detail?: string } {
  const found = [
    ...(resting ? [`${resting} of ${nodes} nodes resting`] : []),
    ...(full ? [`${full} of ${nodes} nodes full`] : []),
  ];
  return found.length ? { detail: found.join(", ") } : {};
}

/**
 * Metrics are for programs on this machine, or for whoever has METRICS_TOKEN. A proxy on this machine is no such
 * program: what it passes on carries the header of a proxy.
 */
function refusal(context: RequestContext, token: string | undefined): Response | undefined {
  const { headers } = context.request;
  const isForwarded = ["x-forwarded-for", "x-real-ip", "forwarded", "via"].some((name) => headers.has(name));
  if (!isForwarded && /^(127\.|::1$)/.test(context.address)) return;
  if (!token) return json({ status: "could not be checked" }, 404);
  const [given, expected] = [headers.get("authorization") ?? "", `Bearer ${token}`].map((text) =>
    Buffer.from(sha256(text)),
  );
  if (given && expected && timingSafeEqual(given, expected)) return;
  const response = json({ status: "unauthorized" }, 401);
  response.headers.set("www-authenticate", "Bearer");
  return response;
}
