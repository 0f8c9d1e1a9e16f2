import { dayMs } from "../../../db/lib/time";
import { archivingOf } from "../../../db/ops/archiving";
import { backupRecipient, backupState, isBackupOverdue } from "../../../db/ops/backup-state";
import type { Frame } from "../../../views/components/frame";
import { Time } from "../../../views/components/time";
import type { BackupsView } from "../../../views/dashboard/overview/backups";
import type { Warning } from "../../../views/dashboard/overview/overview";
import type { Deps } from "../deps";

const verifyEveryMs = 90 * dayMs;

/** The line about backups, and a warning if no copy was good for two periods. */
export async function backupsOf(
  { config, db }: Pick<Deps, "config" | "db">,
  frame: Frame,
): Promise<{ view: BackupsView; warnings: Warning[] }> {
  const archiving = await archivingOf(db);
  if (archiving) return { view: { kind: "archive", ...archiving }, warnings: [] };
  if (!config.BACKUP_URL) return { view: { kind: "off" }, warnings: [] };
  const state = await backupState(db);
  const { last, problem, verifiedAt = 0 } = state;
  const isVerified = frame.now.getTime() - verifiedAt < verifyEveryMs;
  const hasKey = (await backupRecipient(db)) !== undefined;
  const view: BackupsView = hasKey ? { kind: "copies", last, problem, isVerified } : { kind: "no-key" };
  const isOverdue = isBackupOverdue(state, config.BACKUP_EVERY, frame.now);
  return { view, warnings: isOverdue ? [overdue(last?.at, frame)] : [] };
}

const overdue = (at: number | undefined, frame: Frame): Warning => ({
  isBad: true,
  text:
    at === undefined ? (
      "There is no good backup."
    ) : (
      <>
        There is no good backup since <Time at={new Date(at)} clock={frame} />.
      </>
    ),
  link: { href: "#backups-title", text: "View the reason" },
});
