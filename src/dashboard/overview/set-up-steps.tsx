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
    title: "Give the site a title",
    isDone: progress.hasTitle,
    hint: "It stands in e-mails and on the page people unsubscribe on.",
    link: { href: `${paths.settings}#site`, text: "Set the title" },
  },
  {
    title: "Say where messages go",
    isDone: Boolean(config.OWNER_EMAIL) || progress.hasOwnerEmail,
    hint: "The owner’s e-mail address gets a notification of every contact message.",
    link: { href: `${paths.settings}#owner`, text: "Set the address" },
  },
  {
    title: "Connect the mail provider",
    isDone: Boolean(config.MAILER_API_KEY),
    hint: (
      <>
        Until <code>MAILER_API_KEY</code> is set in the environment, e-mails are only logged.
      </>
    ),
    link: { href: `${paths.settings}#mail`, text: "See the state" },
  },
  {
    title: "Generate the first API key",
    isDone: progress.hasKey,
    hint: "Your sites read posts, projects and settings with it.",
    link: { href: `${paths.apiKeys}/new`, text: "Generate a key" },
  },
  {
    title: "Reach a storage node",
    isDone: storage.isReachable,
    hint: storage.nodes
      ? "No node answers at the moment, so nothing can be uploaded."
      : "Uploads need a place to go: set the MINIO variables, or add a node.",
    link: { href: paths.nodes, text: "See the nodes" },
  },
  {
    title: "Keep a second way in",
    isDone: progress.isSafe,
    hint: "Invite a second manager, or protect your sign-in with a second step or a passkey.",
    link:
      manager.role === "owner"
        ? { href: paths.managers, text: "Invite somebody" }
        : { href: paths.account, text: "Open your account" },
  },
];
