import { backupRecipient, setBackupRecipient } from "../../../db/ops/backup-state";
import { setVariable, storedVariables } from "../../../db/variables";
import { list as storageNodes } from "../../../db/storage/nodes/nodes";
import * as audit from "../../../db/audit";
import { NewBackupKey, SenderRecords, SetUpPage, type VariableView } from "../../../views/dashboard/settings/set-up";
import { paths } from "../../../views/paths";
import { domainOf } from "../../mail/headers";
import { configuredProvider, providerName } from "../../mail/open";
import { isPublicHost, lookUp, senderRecords } from "../../mail/sender-records";
import { type Config, type Settable, settables, variableProblem } from "../../platform/config";
import { backupUrl } from "../../platform/config-fields";
import { isSmtpUrl, readSmtpUrl } from "../../platform/mail-urls";
import { sealVariable, useVariables } from "../../security/variables";
import { actorOf, requireFresh } from "../../security/session";
import type { Deps } from "../deps";
import { typed } from "../form-input";
import { frameOf, pages } from "../pages";
import { forOwners } from "../permissions";
import { downloadCopy, showCopies } from "./copies";
import { part, seeOther, show } from "../responses";
import { allTabs } from "./site-pages";

const path = paths.installation;
const title = "Set up";
const maxLength = 1_000;

/**
 * `/dashboard/settings/set-up`: what otherwise the environment says, for owners who confirmed their password recently.
 * Hosts of private networks can only be named in the environment: who signs in must not reach into the network.
 */
export const setUpDashboard = (deps: Deps) =>
  pages(path, deps, forOwners("set up the service"))
    .onBeforeHandle(({ request }) => requireFresh(request, deps.now()))
    .get("/", ({ request }) => showPage(deps, request))
    .get("/copies", ({ request }) => showCopies(deps, request))
    .get("/copies/:name", ({ request, params: { name } }) => downloadCopy(deps, request, name))
    .get("/records", () => showRecords(deps))
    .post("/backup-key", ({ request }) => makeBackupKey(deps, request))
    .post("/:variable", ({ request, params: { variable }, body }) => save(deps, request, variable, body));

type Unsaved = { name: Settable; value: string; problem: string };

async function showPage(deps: Deps, request: Request, unsaved?: Unsaved) {
  const { config, db } = deps;
  const [frame, stored, nodes, recipient] = await Promise.all([
    frameOf(deps, request),
    storedVariables(db),
    storageNodes(db),
    backupRecipient(db),
  ]);
  const variables = new Map(settables.map((name) => [name, viewOf(config, name, stored[name], unsaved)]));
  const content = (
    <SetUpPage
      frame={frame}
      tabs={allTabs(frame.may).map((tab) => ({ ...tab, anchors: [] }))} // its own parts have the names of some
      variables={variables}
      provider={providerName(config)}
      records={await recordsOf(config)}
      nodes={nodes.filter(({ state }) => state !== "down").map(({ name }) => name)}
      backups={db.isShared ? "by-operator" : recipient ? "with-key" : "without-key"}
    />
  );
  return show({ frame, title, status: unsaved ? 422 : 200 }, content);
}

const showRecords = async ({ config }: Deps) => part(<SenderRecords {...await recordsOf(config)} />);

const recordsOf = async (config: Config) => ({
  domain: domainOf(config.MAIL_FROM),
  isSent: configuredProvider(config) !== undefined,
  records: await senderRecords(config, lookUp),
});

type Stored = Awaited<ReturnType<typeof storedVariables>>[string];

function viewOf(config: Config, name: Settable, stored: Stored, unsaved: Unsaved | undefined): VariableView {
  const isEnvironment = config.inEnvironment.has(name);
  const isOwn = unsaved?.name === name;
  return {
    name,
    source: isEnvironment ? "environment" : stored ? "dashboard" : "default",
    value: isOwn && !secrets.has(name) ? unsaved.value : shownValue(config, name),
    isStored: stored !== undefined,
    change: stored && { by: stored.by, at: new Date(stored.at) },
    errors: isOwn ? [{ field: "value", message: unsaved.problem }] : [],
  };
}

/** They contain passwords, so only their host is shown. */
const secrets = new Set<Settable>(["MAILER_API_KEY", "BACKUP_URL"]);

function shownValue(config: Config, name: Settable): string {
  switch (name) {
    case "MAILER_API_KEY":
      return providerName(config) ?? "";
    case "BACKUP_URL":
      return placeName(config);
    case "BACKUP_EVERY":
      return `${config.BACKUP_EVERY / 60_000}m`.replace(/^(\d+)m$/, (all, minutes) =>
        minutes % 60 ? all : `${minutes / 60}h`,
      );
    case "CORS_ORIGINS":
      return config.moreOrigins.join(", ");
    default:
      return config[name] ?? "";
  }
}

const placeName = ({ BACKUP_URL: place }: Config) =>
  !place ? "" : "node" in place ? `node:${place.node}` : `${new URL(place.endpoint).host}/${place.bucket}`;

const isSettable = (name: string): name is Settable => settables.some((each) => each === name);

async function save(deps: Deps, request: Request, name: string, body: unknown) {
  const { config, db, now } = deps;
  if (!isSettable(name) || config.inEnvironment.has(name) || (db.isShared && ofOwnDatabase.has(name)))
    return seeOther(request, path, unchanged);
  const isRemoval = typed(body, "remove") === "yes";
  const value = typed(body, "value").trim();
  const problem = isRemoval ? undefined : await problemOf(config, name, value);
  if (problem) return showPage(deps, request, { name, value, problem });
  const sealed = isRemoval ? undefined : sealVariable(config, value);
  await setVariable(db, { name, sealed }, actorOf(request), now());
  await useVariables(deps);
  return seeOther(request, `${path}#${name}`, { kind: "good", text: isRemoval ? "Removed." : "Saved." });
}

/** Copies of PostgreSQL are made by its operator. */
const ofOwnDatabase = new Set<Settable>(["BACKUP_URL", "BACKUP_EVERY"]);

const unchanged = { kind: "bad", text: "That value cannot be changed here." } as const;

async function problemOf(config: Config, name: Settable, value: string): Promise<string | undefined> {
  if (!value) return "is required. To go back to the default, remove the value";
  if (value.length > maxLength) return `must be at most ${maxLength} characters long`;
  const problem = variableProblem(config, name, value);
  if (problem) return problem;
  const host = hostIn(name, value);
  return host !== undefined && !(await isPublicHost(host))
    ? `leads to ${host}, which is not on the public Internet. A server of your own network can only be set in the environment`
    : undefined;
}

/** The host that the service would connect to. */
function hostIn(name: Settable, value: string): string | undefined {
  if (name === "MAILER_API_KEY" && isSmtpUrl(value)) {
    const server = readSmtpUrl(value);
    return typeof server === "string" ? undefined : server.host;
  }
  const { data: place } = name === "BACKUP_URL" ? backupUrl.safeParse(value) : {};
  return place && !("node" in place) ? new URL(place.endpoint).hostname : undefined;
}

/** Makes the key that opens the copies. It is shown once, and only its public half is kept. */
async function makeBackupKey(deps: Deps, request: Request) {
  const { db, now } = deps;
  if (db.isShared || (await backupRecipient(db)))
    return seeOther(request, path, { kind: "bad", text: "There is a key already." });
  const { generateX25519Identity, identityToRecipient } = await import("age-encryption");
  const identity = await generateX25519Identity();
  const by = { ...actorOf(request), action: "backup.key" } as const;
  await setBackupRecipient(db, await identityToRecipient(identity), (orm) => audit.record(orm, by, now()));
  const frame = await frameOf(deps, request);
  return show({ frame, title: "Key of the backups" }, <NewBackupKey identity={identity} />);
}
