import { list as storageNodes } from "../../../db/storage/nodes/nodes";
import { plural } from "../../../views/components/list";
import { placeOf } from "../../backups/place";
import { doctorToken } from "../../health/doctor-token";
import { daysUntil, endsSoon } from "../../platform/certificate";
import { isPublicAddress } from "../../platform/networks";
import type { ProcessLimits } from "../../platform/process-limits";
import type { Config } from "../../platform/config";
import { connect, secretKeyOf } from "../../storage/nodes/access";
import { configuredProvider } from "../../mail/open";
import { capabilitiesOf } from "../../storage/nodes/capabilities";
import { fromConfig } from "../../storage/nodes/configured";
import { codeOf } from "../../storage/s3/errors";
import { type Answer, type Finding, findings, type Patient, reasonOf, resendUrl } from "./finding";

/** What the service says to a doctor who reaches it: the address it saw, its version, and what the system grants it. */
export type Seen = { address: string; version: string; limits?: ProcessLimits };

const header = "postroom-doctor";

/** Asks a service how it sees this request. Undefined if the answer is not that of this installation. */
export async function askService({ config, tools }: Patient, url: string, more: Record<string, string> = {}) {
  const answer = await tools.ask(`${url}/healthz`, { [header]: doctorToken(config, tools.now()), ...more });
  return { answer, seen: seenIn(answer) };
}

function seenIn({ text }: Answer): Seen | undefined {
  try {
    const body: { seen?: Seen } = JSON.parse(text);
    return body.seen;
  } catch {
    return undefined;
  }
}

const isLocal = (host: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);

/** BASE_URL leads here, over https. @param isRunning the service runs on this machine */
export async function checkBaseUrl(patient: Patient, isRunning: boolean): Promise<Finding[]> {
  const { config, tools } = patient;
  const { ok, warn, wrong } = findings("base-url");
  const { BASE_URL } = config;
  const { hostname, port, protocol } = new URL(BASE_URL);
  if (isLocal(hostname)) return [ok(`${BASE_URL}, for this machine only.`)];
  if (protocol === "http:")
    return [wrong(`BASE_URL is http: browsers will not sign in. Set it to https://${hostname}.`)];
  try {
    const { answer, seen } = await askService(patient, BASE_URL);
    if (answer.status >= 300 && answer.status < 400)
      return [wrong(`${BASE_URL} redirects to ${answer.headers.get("location")}. Set BASE_URL to where it leads.`)];
    if (!seen && !isRunning) return [warn(`${BASE_URL} answered ${answer.status}. Start the service, then ask again.`)];
    if (!seen) return [wrong(`${BASE_URL} answered, but not this service, or one with another APP_SECRET.`)];
    const validity = await tools.certificateValidity(hostname, Number(port) || 443);
    const days = daysUntil(validity.end, tools.now());
    return [
      endsSoon(validity, tools.now())
        ? warn(`The certificate of ${hostname} ends in ${plural(days, "day")}. Renew it.`)
        : ok(`${BASE_URL} leads to this service.`),
    ];
  } catch (error) {
    const problem = `${BASE_URL} cannot be reached from here (${reasonOf(error)}).`;
    return [
      isRunning
        ? wrong(`${problem} Check the DNS record and the proxy.`)
        : warn(`${problem} Start the service, then ask again.`),
    ];
  }
}

const forged = "192.0.2.7"; // for documentation (RFC 5737): no visitor has it

/** Visitors have their own addresses, and cannot pretend another. */
export async function checkProxy(patient: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("proxy");
  const { BASE_URL } = patient.config;
  if (isLocal(new URL(BASE_URL).hostname)) return [ok("None: BASE_URL is this machine.")];
  const reached = await askService(patient, BASE_URL, { "x-forwarded-for": forged }).catch(() => undefined);
  const address = reached?.seen?.address;
  if (!address) return [warn("Unknown until BASE_URL leads to this service.")];
  if (address === forged)
    return [
      wrong(
        "Anyone can pretend another address: the proxy passes X-Forwarded-For on. Let it append or replace the address, as in docs/operations.md.",
      ),
    ];
  if (isPublicAddress(address) || patient.tools.ownAddresses.includes(address))
    return [ok(`Visitors are told apart: this request came from ${address}.`)];
  return [
    wrong(
      `All visitors look like ${address}: set TRUSTED_PROXIES to ${address}, and let the proxy send X-Forwarded-For.`,
    ),
  ];
}

const toleratedMs = 30_000;
const turnOnNtp = "Turn on NTP: timedatectl set-ntp true";
const onBoth = "Turn on NTP on both: timedatectl set-ntp true";

/**
 * The clock agrees with those of the servers that we use. That of BASE_URL counts only if no other one is known: it is
 * mostly this machine’s own.
 */
export async function checkClock({ config, tools, db }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("clock");
  const backups = await placeOf(config, db).catch(() => undefined); // checkBackups says why
  const provider = configuredProvider(config) === "resend" ? (config.RESEND_BASE_URL ?? resendUrl) : undefined;
  const urls = [provider, backups?.endpoint, config.MINIO_ENDPOINT].filter((url) => url !== undefined);
  const asked = async (url: string) => {
    const answer = await tools.ask(`${url}/`).catch(() => undefined);
    const aheadMs = tools.now().getTime() - Date.parse(answer?.headers.get("date") ?? "");
    return Number.isNaN(aheadMs) ? [] : [{ host: new URL(url).host, aheadMs }];
  };
  const others = (await Promise.all(urls.map(asked))).flat();
  const clocks = others.length ? others : await asked(config.BASE_URL);
  const isKept = await tools.isClockSynchronized();
  const [agreeing, differing] = [true, false].map((agrees) =>
    clocks.find(({ aheadMs }) => Math.abs(aheadMs) <= toleratedMs === agrees),
  );
  if (differing) {
    const seconds = Math.round(Math.abs(differing.aheadMs) / 1_000);
    const differs = `The clock is ${seconds} s ${differing.aheadMs > 0 ? "ahead of" : "behind"} that of ${differing.host}`;
    return [
      wrong(agreeing ? `${differs}, and agrees with that of ${agreeing.host}. ${onBoth}` : `${differs}. ${turnOnNtp}`),
    ];
  }
  if (agreeing) {
    const agrees = `It agrees with that of ${agreeing.host}`;
    return [isKept === false ? warn(`${agrees} now, but nothing keeps it so. ${turnOnNtp}`) : ok(`${agrees}.`)];
  }
  if (isKept) return [ok("NTP keeps it right.")];
  return [warn(`No other clock could be asked.${isKept === false ? ` ${turnOnNtp}` : ""}`)];
}

const deadlineMs = 10_000;

/** Whether the secret of a node was encrypted with this APP_SECRET. */
export function isSecretReadable(config: Config, node: Parameters<typeof secretKeyOf>[1]): boolean {
  try {
    return secretKeyOf(config, node) !== "";
  } catch {
    return false;
  }
}

/** Each storage node accepts uploads, also from the pages of the sites. */
export async function checkStorage({ config, db }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("storage");
  const stored = db ? (await storageNodes(db)).filter(({ name }) => name !== "default" && name !== "embedded") : [];
  const configured = config.MINIO_ENDPOINT ? [{ ...fromConfig(config, config.MINIO_ENDPOINT), usedBytes: 0 }] : [];
  const nodes = [...configured, ...stored].filter((node) => isSecretReadable(config, node)); // the check of the secret names others
  if (!configured.length && !stored.length)
    return [
      config.mayEmbedStorage
        ? warn("Development storage. Set MINIO_*, or add a node, for anything you want to keep.")
        : wrong("None, so uploads fail. Set MINIO_*, or run `postroom nodes add`."),
    ];
  const all: Finding[] = [];
  for (const node of nodes) {
    const origins = [...config.CORS_ORIGINS];
    try {
      const s3 = await connect(config, node, deadlineMs);
      const { probe } = await import("../../storage/nodes/probe");
      const probed = await probe(node.endpoint, s3, { origins, keepsRule: true, deadline: deadlineMs });
      const capabilities = capabilitiesOf({ ...node, kind: "managed", probe: probed.findings }, origins);
      const problems = capabilities.flatMap(({ fix, state }) => (fix ? [{ ...fix, state }] : []));
      for (const { problem, action, state } of problems)
        all.push((state === "broken" ? wrong : warn)(`${node.name}: ${problem} ${action}`));
      if (!problems.length) all.push(ok(`${node.name} accepts uploads.`));
    } catch (error) {
      all.push(wrong(`${node.name} does not work (${codeOf(error)}). Run \`postroom nodes test ${node.name}\`.`));
    }
  }
  return all;
}
