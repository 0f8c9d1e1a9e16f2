import type { AnyElysia } from "elysia";
import { z } from "zod";
import * as ownAccount from "../../../db/access/own-account";
import { ownerAddress } from "../../../db/contact/owner";
import { requestTestMail, save as saveSettings } from "../../../db/settings/edit";
import * as keyRules from "../../../db/settings/rules";
import * as settings from "../../../db/settings/settings";
import { type Frame, themes } from "../../../views/components/frame";
import { CustomSettings } from "../../../views/dashboard/settings/custom";
import { changeMail, path, SectionForm, type SectionView } from "../../../views/dashboard/settings/section";
import { AppearancePage, Mail, SettingsPage } from "../../../views/dashboard/settings/settings";
import { fragment } from "../../http/response";
import { providerName } from "../../mail/open";
import { actorOf, managerFor } from "../../security/session/session";
import type { Deps } from "../deps";
import { textFields } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forEveryone, forManagers, forOwners } from "../permissions";
import { done, seeOther, show, urlBefore } from "../responses";
import { customView } from "./custom";
import { limits, sections, type SettingSection } from "./fields";
import { readPostUrl } from "../../content/post-url";
import { changesIn, isForOwners, sectionView, type UnsavedSection } from "./section";

const title = "Settings";

/** `/dashboard/settings`: the site's settings, email, limits, and how the dashboard looks to a manager. */
export const settingsDashboard = (deps: Deps) => {
  const area = pages(path, deps, forManagers).post("/test-mail", ({ request }) => sendTestEmail(deps, request));
  return withSections(area, deps, (section) => !isForOwners(section));
};

export const ownersSettings = (deps: Deps) => withSections(pages(path, deps, forOwners(changeMail)), deps, isForOwners);

export const appearanceDashboard = (deps: Deps) =>
  pages(path, deps, forEveryone)
    .get("/", ({ request }) => showSettings(deps, request))
    .post("/appearance", ({ request, body }) => saveAppearance(deps, request, body))
    .post("/theme/:theme", ({ request, params }) => changeTheme(deps, request, params.theme));

/** Adds a route for each of the sections, which saves it. */
function withSections<Area extends AnyElysia>(
  area: Area,
  deps: Deps,
  isIncluded: (section: SettingSection) => boolean,
) {
  for (const section of [...sections, limits].filter(isIncluded))
    area.post(`/${section.id}`, ({ request, body }) => save(deps, request, section, textFields.parse(body)));
  return area;
}

async function mailOf({ config, db }: Deps, request: Request) {
  return {
    provider: providerName(config),
    from: config.MAIL_FROM,
    owner: config.OWNER_EMAIL ?? (await db.read(ownerAddress)),
    recipient: managerFor(request).manager.email,
  };
}

/** @param unsaved a section that was not saved: shown instead of its saved values */
async function pageFor(deps: Deps, request: Request, frame: Frame, unsaved?: SectionView) {
  const [all, mail, { postUrl, isKnown }] = await Promise.all([
    settings.all(deps.db),
    mailOf(deps, request),
    readPostUrl(deps),
  ]);
  const view = (section: SettingSection) => (section.id === unsaved?.id ? unsaved : sectionView(section, all));
  return (
    <SettingsPage
      frame={frame}
      mail={mail}
      addresses={{ site: deps.config.BASE_URL, posts: isKnown ? postUrl : undefined }}
      sections={sections.map(view)}
      limits={view(limits)}
    >
      <CustomSettings settings={all.filter(({ key }) => keyRules.isCustom(key)).map(customView)} frame={frame} />
    </SettingsPage>
  );
}

async function showSettings(deps: Deps, request: Request) {
  const frame = await frameOf(deps, request);
  if (!frame.may(`${path}/test-mail`, "POST")) return show({ frame, title }, <AppearancePage frame={frame} />);
  return show({ frame, title }, await pageFor(deps, request, frame));
}

async function showAgain(
  deps: Deps,
  request: Request,
  section: SettingSection,
  unsaved: UnsavedSection,
  status: 409 | 422,
) {
  const [frame, all] = await Promise.all([frameOf(deps, request), settings.all(deps.db)]);
  const view = sectionView(section, all, unsaved);
  if (isPartial(request)) return fragment(<SectionForm section={view} frame={frame} />, status);
  return show({ frame, title, status }, await pageFor(deps, request, frame, view));
}

async function save(deps: Deps, request: Request, section: SettingSection, fields: Record<string, string>) {
  const { db, now } = deps;
  const { changes, errors } = changesIn(section, fields);
  if (errors.length) return showAgain(deps, request, section, { fields, errors }, 422);
  const { conflicts, changed } = await saveSettings(db, changes, actorOf(request), now());
  if (conflicts) return showAgain(deps, request, section, { fields, errors, conflicts }, 409);
  const [frame, all] = await Promise.all([frameOf(deps, request), settings.all(db)]);
  return done(request, {
    frame,
    title,
    list: <SectionForm section={sectionView(section, all)} frame={frame} />,
    into: `#form-${section.id}`,
    back: `${path}#${section.id}`,
    notice: { kind: "good", text: changed.length ? `${section.title} saved.` : "No changes to save." },
  });
}

async function sendTestEmail(deps: Deps, request: Request) {
  const [frame, mail] = await Promise.all([frameOf(deps, request), mailOf(deps, request)]);
  await requestTestMail(deps.db, mail.recipient, actorOf(request), deps.now());
  const text = `Test email to ${mail.recipient} queued. See Emails.`;
  return done(request, {
    frame,
    title,
    list: <Mail mail={mail} frame={frame} requested />,
    into: "#form-mail",
    back: `${path}#mail`,
    notice: { kind: "good", text },
  });
}

/** An invalid value becomes the first option. */
const Preferences = z.object({
  theme: z.enum(themes).catch("system"),
  density: z.enum(["compact", "comfortable"]).catch("compact"),
  shortcuts: z.enum(["on", "off"]).catch("on"),
  firstSteps: z.enum(["shown", "hidden"]).catch("shown"),
});

async function saveAppearance(deps: Deps, request: Request, body: unknown) {
  const chosen = Preferences.parse(textFields.parse(body));
  await ownAccount.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, `${path}#appearance`, { kind: "good", text: "Appearance saved." });
}

/**
 * One of the palette's actions: reloads the page it was chosen on in the other theme. Changing it in place would need a
 * script that knows the themes, for something done once a month.
 */
async function changeTheme(deps: Deps, request: Request, chosen: string) {
  const theme = Preferences.shape.theme.parse(chosen);
  await ownAccount.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen: { theme } },
    actorOf(request),
    deps.now(),
  );
  const { pathname, search } = urlBefore(request);
  return seeOther(request, pathname + search, { kind: "good", text: `Theme changed to ${theme}.` });
}
