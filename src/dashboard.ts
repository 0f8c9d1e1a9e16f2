import { Elysia } from "elysia";
import { account } from "./dashboard/access/account";
import { apiKeysDashboard } from "./dashboard/access/keys/api-keys";
import { auditLog } from "./dashboard/audit";
import { broadcastAudience } from "./dashboard/broadcasts/audience/audience";
import { broadcastBreakdown } from "./dashboard/broadcasts/breakdown";
import { broadcastComposer } from "./dashboard/broadcasts/composer/composer";
import { broadcastPage } from "./dashboard/broadcasts/page";
import { broadcastPreview } from "./dashboard/broadcasts/composer/preview";
import { broadcastQuestion } from "./dashboard/broadcasts/question";
import { broadcastRecipients } from "./dashboard/broadcasts/recipients";
import { broadcastTransitions } from "./dashboard/broadcasts/transitions";
import { broadcastsDashboard } from "./dashboard/broadcasts/broadcasts";
import { contactDashboard } from "./dashboard/contact/messages";
import { contentImport } from "./dashboard/posts/import";
import { customSettingsDashboard } from "./dashboard/settings/custom";
import { managersDashboard } from "./dashboard/access/managers/managers";
import { savedViewsDashboard } from "./dashboard/saved-views/routes";
import { searchDashboard } from "./dashboard/search/search";
import { shortcutHelp } from "./dashboard/shortcuts";
import { newsletterDashboard } from "./dashboard/newsletter/subscribers";
import { newsletterImport } from "./dashboard/newsletter/import";
import { outboxDashboard } from "./dashboard/mail/outbox";
import { overviewDashboard } from "./dashboard/overview/overview";
import { passkeySignIn } from "./dashboard/access/passkey-sign-in";
import { passkeysDashboard } from "./dashboard/access/passkeys";
import { twoFactorDashboard } from "./dashboard/access/two-factor";
import { peopleDashboard } from "./dashboard/people/people";
import { postsDashboard } from "./dashboard/posts/posts";
import { postPreview } from "./dashboard/posts/preview";
import { postAutosave } from "./dashboard/posts/editor/autosave";
import { postEditor } from "./dashboard/posts/editor/editor";
import { postPublishing } from "./dashboard/posts/publish";
import { postRevisions } from "./dashboard/posts/revisions";
import { previewLinks } from "./dashboard/posts/preview-link";
import { projectsDashboard } from "./dashboard/projects/projects";
import { projectForm } from "./dashboard/projects/form";
import { projectOrder } from "./dashboard/projects/order";
import { setUp } from "./dashboard/access/set-up";
import { settingsDashboard } from "./dashboard/settings/settings";
import { welcomeDashboard } from "./dashboard/settings/welcome";
import { signIn } from "./dashboard/access/sign-in";
import { storageDashboard } from "./dashboard/storage/files";
import { fileDashboard } from "./dashboard/storage/file";
import { folderDashboard } from "./dashboard/storage/folders";
import { openUploadsDashboard } from "./dashboard/storage/uploads/open";
import { storageNodeForms } from "./dashboard/storage/nodes/forms";
import { storageNodesDashboard } from "./dashboard/storage/nodes/nodes";
import { uploadsDashboard } from "./dashboard/storage/uploads/uploads";
import { suppressionsDashboard } from "./dashboard/suppressions/suppressions";
import { tagsDashboard } from "./dashboard/posts/tags";
import { postViews, projectClicks } from "./dashboard/visits/visits";
import { webhooksDashboard } from "./dashboard/webhooks/webhooks";
import { endpointDashboard } from "./dashboard/webhooks/endpoint";
import type { Deps } from "./boot/deps";
import { signOut } from "./dashboard/access/sign-out";
import { notRouted } from "./http/unrouted";

/** All routes of the dashboard: first the pages for signed-out users, then the areas for managers. */
export const dashboardOf = (deps: Deps) =>
  new Elysia({ normalize: false })
    .onError(({ code }) => {
      if (code === "NOT_FOUND") return notRouted();
    })
    .use(setUp(deps))
    .use(signIn(deps))
    .use(passkeySignIn(deps))
    .use(signOut(deps))
    .use(account(deps))
    .use(twoFactorDashboard(deps))
    .use(passkeysDashboard(deps))
    .use(managersDashboard(deps))
    .use(auditLog(deps))
    .use(overviewDashboard(deps))
    .use(searchDashboard(deps))
    .use(shortcutHelp(deps))
    .use(savedViewsDashboard(deps))
    .use(newsletterDashboard(deps))
    .use(newsletterImport(deps))
    .use(broadcastsDashboard(deps))
    .use(broadcastPage(deps))
    .use(broadcastComposer(deps))
    .use(broadcastAudience(deps))
    .use(broadcastQuestion(deps))
    .use(broadcastPreview(deps))
    .use(suppressionsDashboard(deps))
    .use(peopleDashboard(deps))
    .use(broadcastTransitions(deps))
    .use(broadcastRecipients(deps))
    .use(broadcastBreakdown(deps))
    .use(contactDashboard(deps))
    .use(outboxDashboard(deps))
    .use(postsDashboard(deps))
    .use(postViews(deps))
    .use(postEditor(deps))
    .use(postAutosave(deps))
    .use(postPublishing(deps))
    .use(postPreview(deps))
    .use(postRevisions(deps))
    .use(tagsDashboard(deps))
    .use(contentImport(deps))
    .use(previewLinks(deps))
    .use(projectsDashboard(deps))
    .use(projectClicks(deps))
    .use(projectOrder(deps))
    .use(projectForm(deps))
    .use(storageDashboard(deps))
    .use(fileDashboard(deps))
    .use(folderDashboard(deps))
    .use(uploadsDashboard(deps))
    .use(openUploadsDashboard(deps))
    .use(storageNodesDashboard(deps))
    .use(storageNodeForms(deps))
    .use(apiKeysDashboard(deps))
    .use(webhooksDashboard(deps))
    .use(endpointDashboard(deps))
    .use(settingsDashboard(deps))
    .use(welcomeDashboard(deps))
    .use(customSettingsDashboard(deps));
