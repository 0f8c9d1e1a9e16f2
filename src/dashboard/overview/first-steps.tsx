import * as managers from "../../../db/access/managers";
import type { progress } from "../../../db/overview";
import type * as overview from "../../../db/overview";
import type { Frame } from "../../../views/components/frame";
import type { Step } from "../../../views/dashboard/overview/overview";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { isLive } from "../../mail/open";
import { actorOf, managerFor } from "../../security/session";
import { seeOther } from "../responses";

type Facts = {
  config: Deps["config"];
  progress: Awaited<ReturnType<typeof progress>>;
  storage: Awaited<ReturnType<typeof overview.storage>>;
};

/** The first steps in the best order, done or not. None if they are hidden or all done. */
export function firstSteps({ manager, preferences }: Frame, facts: Facts): Step[] {
  const steps = [...site(facts), ...delivery(manager, facts), ...content(manager, facts), wayBack(manager, facts)];
  return preferences.firstSteps === "shown" && steps.some(({ isDone }) => !isDone) ? steps : [];
}

/** Browsers focus the field that a fragment names, without a script, too. */
const site = ({ config, progress }: Facts): Step[] => [
  {
    title: "Name your site",
    isDone: progress.hasTitle,
    hint: "Shown in emails and on the unsubscribe page.",
    link: { href: `${paths.siteSettings}#site-siteTitle`, text: "Name site" },
  },
  {
    title: "Set the notification address",
    isDone: Boolean(config.OWNER_EMAIL) || progress.hasOwnerEmail,
    hint: "New contact messages are announced to this email address.",
    link: { href: `${paths.siteSettings}#owner-email`, text: "Add address" },
  },
];

const delivery = ({ role }: Frame["manager"], { config, progress, storage }: Facts): Step[] => [
  {
    title: "Connect an email provider",
    isDone: isLive(config),
    hint: "Until then, emails are logged instead of sent.",
    link: { href: role === "owner" ? paths.installation : paths.emailSettings, text: "Connect a provider" },
  },
  {
    title: "Connect storage",
    isDone: storage.isReachable,
    hint: storage.nodes ? "No storage node is responding, so uploads do not work." : "Uploads need a storage node.",
    link: storage.nodes
      ? { href: paths.nodes, text: "View storage nodes" }
      : { href: `${paths.nodes}/new`, text: "Add storage node" },
  },
  {
    title: "Generate an API key",
    isDone: progress.hasKey,
    hint: "Your sites use it to read posts, projects and settings.",
    link: { href: `${paths.apiKeys}/new`, text: "Generate new key" },
  },
];

const content = ({ email, name }: Frame["manager"], { progress }: Facts): Step[] => [
  {
    title: "Add a test subscriber",
    isDone: progress.hasSubscriber,
    hint: `Adds ${email} to the newsletter and queues the welcome email, so that you see what your subscribers receive.`,
    form: {
      action: paths.newsletter,
      fields: { email, name, source: "test", welcome: "yes" },
      text: "Add yourself",
    },
  },
  {
    title: "Write the first post",
    isDone: progress.hasPost,
    hint: "It stays a draft until you publish it.",
    link: { href: `${paths.posts}/new`, text: "Write a post" },
  },
];

const wayBack = (manager: Frame["manager"], { progress }: Facts): Step => ({
  title: "Add a way back in",
  isDone: progress.isSafe,
  hint:
    manager.role === "owner" ? (
      <>
        Add a passkey or two-step verification, or <a href={paths.managers}>invite a second manager</a>.
      </>
    ) : (
      "Add a passkey or two-step verification."
    ),
  link: { href: `${paths.account}#passkeys`, text: "Add passkey" },
});

/** Hides the steps for this manager, or shows them again. */
export async function showFirstSteps({ db, now }: Deps, request: Request, firstSteps: "shown" | "hidden") {
  await managers.setPreferences(
    db,
    { manager: managerFor(request).manager, chosen: { firstSteps } },
    actorOf(request),
    now(),
  );
  const undo = { action: paths.firstSteps, fields: { firstSteps: "shown" } };
  const hidden = { kind: "good" as const, text: "First steps hidden. You can show them again in Settings.", undo };
  return seeOther(request, paths.overview, firstSteps === "hidden" ? hidden : undefined);
}
