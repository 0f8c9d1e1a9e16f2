import { Elysia } from "elysia";
import { account } from "./dashboard/account";
import { apiKeysDashboard } from "./dashboard/api-keys";
import { auditLog } from "./dashboard/audit";
import { contactDashboard } from "./dashboard/contact";
import { customSettingsDashboard } from "./dashboard/custom-settings";
import { managersDesk } from "./dashboard/managers";
import { newsletterDashboard } from "./dashboard/newsletter";
import { newsletterImport } from "./dashboard/newsletter-import";
import { outboxDashboard } from "./dashboard/outbox";
import { overviewDashboard } from "./dashboard/overview";
import { passkeyDesk, passkeySignIn } from "./dashboard/passkeys";
import { secondStepDesk } from "./dashboard/second-step";
import { setUp } from "./dashboard/set-up";
import { settingsDashboard } from "./dashboard/settings";
import { signIn, signOut } from "./dashboard/sign-in";
import type { Deps } from "./deps";
import { notRouted } from "./front-door";

/** The sitemap of the dashboard: the doors first, then the rooms behind them. */
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
    .use(customSettingsDashboard(deps));
