import type * as overview from "../../../db/overview";
import type { Frame } from "../../../views/components/frame";
import type { Step } from "../../../views/dashboard/overview/checklist";
import type { Config } from "../../config";
import { paths } from "../../../views/paths";

type Progress = Awaited<ReturnType<typeof overview.progress>>;
type Storage = Awaited<ReturnType<typeof overview.storage>>;

/** What is set up and what is not, in the order in which it is best done. */
export const stepsOf = (config: Config, { manager }: Frame, progress: Progress, storage: Storage): Step[] => [
  {
    title: "Name your site",
    isDone: progress.hasTitle,
    hint: "Shown in emails and on the unsubscribe page.",
    link: { href: `${paths.settings}#site`, text: "Set the title" },
  },
  {
    title: "Set the notification address",
    isDone: Boolean(config.OWNER_EMAIL) || progress.hasOwnerEmail,
    hint: "New contact messages are announced to this email address.",
    link: { href: `${paths.settings}#owner`, text: "Set the address" },
  },
  {
    title: "Connect an email provider",
    isDone: Boolean(config.MAILER_API_KEY),
    hint: (
      <>
        Until <code>MAILER_API_KEY</code> is set in the environment, emails are logged instead of sent.
      </>
    ),
    link: { href: `${paths.settings}#mail`, text: "View email status" },
  },
  {
    title: "Generate an API key",
    isDone: progress.hasKey,
    hint: "Your sites use it to read posts, projects and settings.",
    link: { href: `${paths.apiKeys}/new`, text: "Generate new key" },
  },
  {
    title: "Connect storage",
    isDone: storage.isReachable,
    hint: storage.nodes
      ? "No storage node is responding, so uploads do not work."
      : "Uploads need a storage node. Add one, or set the MINIO_* variables.",
    link: { href: paths.nodes, text: "View storage nodes" },
  },
  {
    title: "Add a way back in",
    isDone: progress.isSafe,
    hint: "Invite a second manager, or add a passkey or two-step verification.",
    link:
      manager.role === "owner"
        ? { href: paths.managers, text: "Invite manager" }
        : { href: paths.account, text: "Open account" },
  },
];
