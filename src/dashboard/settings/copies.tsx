import { inTime } from "../../../db/async/in-time";
import { backupId } from "../../../db/ops/backup-state";
import { type CopiesView, CopiesPage } from "../../../views/dashboard/settings/copies";
import { paths } from "../../../views/paths";
import { type Copy, openStore } from "../../backups/copies";
import { placeOf } from "../../backups/place";
import type { BackupPlace } from "../../platform/config-fields";
import { described, messageOf } from "../../platform/log";
import type { Deps } from "../deps";
import { download } from "../download";
import { frameOf } from "../pages";
import { seeOther, show } from "../responses";

const callMs = 4_000;
const allCallsMs = 10_000;
const pieceBytes = 512 * 2 ** 10; // a slow server sends one of a download before the browser's connection counts as idle
const mostRows = 200; // what is kept of a copy every 15 minutes are 120

/** The copies of the database at BACKUP_URL: how to get one back, and to download it as it is, encrypted. */
export async function showCopies(deps: Deps, request: Request) {
  const [frame, view] = await Promise.all([frameOf(deps, request), viewOf(deps)]);
  return show({ frame, title: "Copies of the database" }, <CopiesPage frame={frame} view={view} />);
}

async function viewOf(deps: Deps): Promise<CopiesView> {
  if (deps.db.isShared) return { kind: "by-operator" };
  try {
    const stored = await storedCopies(deps);
    if (!stored) return { kind: "off" };
    const { place, copies, installation } = stored;
    const rows = copies.slice(0, mostRows).map(({ name, at, bytes }) => ({ name, at: timeIn(at), bytes }));
    const where = `${new URL(place.endpoint).host}/${place.bucket}/${place.prefix}`;
    const target = isFoundByCommand(deps.config) ? undefined : urlOf(place);
    return { kind: "copies", where, target, rows, more: copies.length - rows.length, installation };
  } catch (error) {
    deps.log.warn("copies not listed", described(error));
    return { kind: "silent", reason: messageOf(error) };
  }
}

/** `restore` asks no database: neither for what Set up says nor for a storage node. */
const isFoundByCommand = ({ inEnvironment, BACKUP_URL: target }: Deps["config"]) =>
  inEnvironment.has("BACKUP_URL") && !(target && "node" in target && target.node !== "default");

function urlOf({ endpoint, bucket, prefix, region }: BackupPlace): string {
  const { protocol, host } = new URL(endpoint);
  return `s3${protocol === "http:" ? "+http" : ""}://KEY:SECRET@${host}/${bucket}/${prefix}?region=${region}`;
}

function timeIn(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new Error("The record of a copy is damaged.");
  return at;
}

/**
 * Returns the copies of this installation, the newest first; undefined without BACKUP_URL. @throws if the server says
 * nothing for ten seconds
 */
async function storedCopies({ config, db }: Pick<Deps, "config" | "db">) {
  const place = await placeOf(config, db);
  if (!place) return;
  const own = await backupId(db);
  const store = openStore(place, callMs);
  const asked = Promise.all([store.copies(own), store.installations()]);
  const late = () => new Error(`It did not answer within ${allCallsMs / 1_000} seconds.`);
  const [copies, installations] = await inTime(asked, allCallsMs, late);
  return { place, own, copies: copies.reverse(), installation: installations.length > 1 ? own : undefined };
}

/** Sends a copy as it is stored. Without the key, no one can open it. */
export async function downloadCopy(deps: Deps, request: Request, name: string) {
  const refuse = (text: string) => seeOther(request, paths.backups, { kind: "bad", text });
  let stored: Awaited<ReturnType<typeof storedCopies>>;
  try {
    stored = deps.db.isShared ? undefined : await storedCopies(deps);
  } catch (error) {
    deps.log.warn("copy not downloaded", described(error));
    return refuse(`The copy could not be downloaded. ${messageOf(error)}`);
  }
  const copy = stored?.copies.find((each) => each.name === name);
  if (!stored || !copy) return refuse("That copy cannot be found.");
  const { place, own } = stored;
  const store = openStore(place);
  return download(deps, request, fileOf(copy), store.read(store.keyOf(own, copy.name), copy.bytes, pieceBytes));
}

const fileOf = ({ name, at }: Copy) => ({
  name: "postroom",
  extension: "tar.zst.age" as const,
  action: "backup.download" as const,
  target: name,
  at: new Date(at),
});
