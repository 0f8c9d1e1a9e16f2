import { type AnyElysia, Elysia } from "elysia";
import { account } from "./dashboard/access/account";
import { apiKeysDashboard } from "./dashboard/access/api-keys";
import { auditLog } from "./dashboard/audit";
import { broadcastAudience } from "./dashboard/broadcasts/audience/audience";
import { broadcastBreakdown } from "./dashboard/broadcasts/breakdown";
import { broadcastComposer } from "./dashboard/broadcasts/composer/composer";
import { broadcastPage, broadcastSteps } from "./dashboard/broadcasts/page";
import { broadcastPreview } from "./dashboard/broadcasts/composer/preview";
import { broadcastQuestion } from "./dashboard/broadcasts/question";
import { broadcastRecipients } from "./dashboard/broadcasts/recipients";
import { fromPostsDashboard } from "./dashboard/broadcasts/from-posts";
import { broadcastActionsDashboard, broadcastsDashboard } from "./dashboard/broadcasts/broadcasts";
import { calendarDashboard } from "./dashboard/calendar/calendar";
import { contactDashboard } from "./dashboard/contact/messages";
import { conversationDashboard } from "./dashboard/contact/conversation";
import { snippetsDashboard } from "./dashboard/contact/snippets";
import { contentImport } from "./dashboard/posts/import";
import { customSettingsDashboard } from "./dashboard/settings/custom";
import { managersDashboard } from "./dashboard/access/managers";
import { columnsDashboard, savedViewsDashboard } from "./dashboard/saved-views/saved-views";
import { searchDashboard } from "./dashboard/search/search";
import { shortcutHelp } from "./dashboard/shortcuts";
import { liveDashboard } from "./dashboard/live";
import { newsletterDashboard } from "./dashboard/newsletter/subscribers";
import { newsletterFilter } from "./dashboard/newsletter/filter";
import { subscriberDashboard } from "./dashboard/newsletter/subscriber";
import { fieldsDashboard } from "./dashboard/newsletter/fields";
import { topicsDashboard } from "./dashboard/newsletter/topics";
import { newsletterImport } from "./dashboard/newsletter/import";
import { outboxDashboard } from "./dashboard/mail/outbox";
import { firstStepsDashboard, overviewDashboard, runningDashboard } from "./dashboard/overview/overview";
import { passkeysDashboard, passkeySignIn } from "./dashboard/access/passkeys";
import { twoFactorDashboard } from "./dashboard/access/two-factor";
import { peopleDashboard, personErasure } from "./dashboard/people/people";
import { postsDashboard } from "./dashboard/posts/posts";
import { postPreview, previewLinks } from "./dashboard/posts/preview";
import { pictureChoice } from "./dashboard/posts/pictures";
import { postAutosave, postEditor } from "./dashboard/posts/editor/editor";
import { postPublishing } from "./dashboard/posts/publish";
import { postRevisions } from "./dashboard/posts/revisions";
import { projectsDashboard } from "./dashboard/projects/projects";
import { projectForm } from "./dashboard/projects/form";
import { projectOrder } from "./dashboard/projects/order";
import { sequenceEdition } from "./dashboard/sequences/edition";
import { sequencePage } from "./dashboard/sequences/sequence";
import { sequencesDashboard } from "./dashboard/sequences/sequences";
import { setUp } from "./dashboard/access/set-up";
import { appearanceDashboard, ownersSettings, settingsDashboard } from "./dashboard/settings/settings";
import { setUpDashboard } from "./dashboard/settings/set-up";
import { brandPreview } from "./dashboard/settings/brand";
import { welcomeDashboard } from "./dashboard/settings/welcome";
import { signIn } from "./dashboard/access/sign-in";
import { storageDashboard, trashDashboard } from "./dashboard/storage/files";
import { fileDashboard } from "./dashboard/storage/file";
import { folderDashboard } from "./dashboard/storage/folders";
import { openUploadsDashboard } from "./dashboard/storage/uploads/open";
import { storageNodeForms } from "./dashboard/storage/nodes/forms";
import { storageNodeActions, storageNodesDashboard } from "./dashboard/storage/nodes/nodes";
import { uploadsDashboard } from "./dashboard/storage/uploads/uploads";
import { suppressionsDashboard } from "./dashboard/suppressions/suppressions";
import { tagsDashboard } from "./dashboard/posts/tags";
import { postViews, projectClicks } from "./dashboard/visits/visits";
import { webhooksDashboard } from "./dashboard/webhooks/webhooks";
import { endpointDashboard } from "./dashboard/webhooks/endpoint";
import type { Deps } from "./dashboard/deps";
import { areaFor, rememberRoutes } from "./dashboard/permissions";
import { signOut } from "./dashboard/access/sign-out";
import { notRouted } from "./http/unrouted";
import { pathOf } from "./platform/request-context";

/** The areas of the dashboard: first the pages for signed-out users, then those for managers. */
const areas = [
  setUp,
  signIn,
  passkeySignIn,
  signOut,
  account,
  twoFactorDashboard,
  passkeysDashboard,
  managersDashboard,
  auditLog,
  overviewDashboard,
  runningDashboard,
  firstStepsDashboard,
  searchDashboard,
  shortcutHelp,
  liveDashboard,
  savedViewsDashboard,
  columnsDashboard,
  newsletterDashboard,
  newsletterFilter,
  subscriberDashboard,
  newsletterImport,
  topicsDashboard,
  fieldsDashboard,
  broadcastsDashboard,
  broadcastActionsDashboard,
  fromPostsDashboard,
  broadcastPage,
  broadcastSteps,
  broadcastComposer,
  broadcastAudience,
  broadcastQuestion,
  broadcastPreview,
  sequencesDashboard,
  sequencePage,
  sequenceEdition,
  suppressionsDashboard,
  peopleDashboard,
  personErasure,
  broadcastRecipients,
  broadcastBreakdown,
  snippetsDashboard,
  contactDashboard,
  conversationDashboard,
  outboxDashboard,
  postsDashboard,
  postViews,
  postEditor,
  postAutosave,
  postPublishing,
  postPreview,
  pictureChoice,
  postRevisions,
  tagsDashboard,
  contentImport,
  previewLinks,
  calendarDashboard,
  projectsDashboard,
  projectClicks,
  projectOrder,
  projectForm,
  storageDashboard,
  trashDashboard,
  fileDashboard,
  folderDashboard,
  uploadsDashboard,
  openUploadsDashboard,
  storageNodesDashboard,
  storageNodeActions,
  storageNodeForms,
  apiKeysDashboard,
  webhooksDashboard,
  endpointDashboard,
  settingsDashboard,
  ownersSettings,
  appearanceDashboard,
  welcomeDashboard,
  brandPreview,
  setUpDashboard,
  customSettingsDashboard,
] satisfies ((deps: Deps) => AnyElysia)[];

/**
 * All routes of the dashboard. Only the areas that are asked for become an app each: composing one of all of them takes
 * some ten milliseconds of processor time.
 */
export function dashboardOf(deps: Deps) {
  const built: AnyElysia[] = areas.map((area) => area(deps));
  rememberRoutes(deps, built);
  const apps = new Map<AnyElysia, AnyElysia>();
  return {
    routes: built.flatMap(({ routes }) => routes),
    async handle(request: Request): Promise<Response> {
      const area = areaFor(deps, pathOf(request.url), request.method);
      if (!area) return notRouted();
      const app = apps.get(area) ?? appOf(area);
      apps.set(area, app);
      return app.handle(request);
    },
  };
}

const appOf = (area: AnyElysia): AnyElysia =>
  new Elysia({ normalize: false })
    .onError(({ code }) => {
      if (code === "NOT_FOUND") return notRouted();
    })
    .use(area);
