import { Elysia } from "elysia";
import { ErrorPage } from "../views/error";
import { contact } from "./api/contact";
import { api, fail } from "./api/envelope";
import { subscribe, unsubscribe } from "./api/newsletter";
import { listPosts, readPost } from "./api/posts";
import { listProjects, visitProject } from "./api/projects";
import { readSettings } from "./api/settings";
import { requestUpload } from "./api/storage";
import { staticAssets } from "./assets";
import { apiKeysDashboard } from "./dashboard/api-keys";
import { contactDashboard } from "./dashboard/contact";
import { newsletterDashboard } from "./dashboard/newsletter";
import { outboxDashboard } from "./dashboard/outbox";
import { newsletterImport } from "./dashboard/newsletter-import";
import { account } from "./dashboard/account";
import { auditLog } from "./dashboard/audit";
import { managersDesk } from "./dashboard/managers";
import { passkeyDesk, passkeySignIn } from "./dashboard/passkeys";
import { secondStepDesk } from "./dashboard/second-step";
import { setUp } from "./dashboard/set-up";
import { signIn, signOut } from "./dashboard/sign-in";
import { customSettingsDashboard } from "./dashboard/custom-settings";
import { overviewDashboard } from "./dashboard/overview";
import { settingsDashboard } from "./dashboard/settings";
import type { Deps } from "./deps";
import { frontDoor, notRouted } from "./front-door";
import { operations } from "./health";
import { createMetrics } from "./metrics";
import { documentation } from "./openapi/pages";
import { page } from "./page";
import { requireApiKey } from "./security/require-api-key";

export type App = ReturnType<typeof createApp>;

/** The sitemap: every area of the service, behind one front door. */
export function createApp(deps: Deps) {
  const metrics = createMetrics();

  const routes = new Elysia({ normalize: false })
    .onError(({ code }) => {
      if (code === "NOT_FOUND") return notRouted();
    })
    .use(subscribe(deps))
    .use(unsubscribe(deps))
    .use(contact(deps))
    .use(readPost(deps))
    .use(visitProject(deps))
    .use(
      api("/api/v1", deps.log, requireApiKey(deps))
        .use(listPosts(deps))
        .use(listProjects(deps))
        .use(readSettings(deps))
        .use(requestUpload(deps)),
    )
    .use(operations(deps, metrics))
    .use(setUp(deps))
    .use(signIn(deps))
    .use(passkeySignIn(deps))
    .use(signOut(deps))
    .use(account(deps))
    .use(secondStepDesk(deps))
    .use(passkeyDesk(deps))
    .use(managersDesk(deps))
    .use(auditLog(deps))
    .use(newsletterDashboard(deps))
    .use(contactDashboard(deps))
    .use(outboxDashboard(deps))
    .use(newsletterImport(deps))
    .use(overviewDashboard(deps))
    .use(apiKeysDashboard(deps))
    .use(settingsDashboard(deps))
    .use(customSettingsDashboard(deps))
    .use(staticAssets());
  routes.use(documentation(deps.config, () => routes.routes));

  return {
    routes: routes.routes,
    /** Answers a request as it would be answered over the network. @param peer the socket's address */
    handle: frontDoor(routes, {
      config: deps.config,
      log: deps.log,
      metrics,
      failure: (pathname, status, code, message) =>
        pathname.startsWith("/api/")
          ? fail(status, code, message)
          : page(<ErrorPage status={status} message={message} />, status),
    }),
  };
}
