import { paths } from "../../../views/paths";
import type { AnyElysia } from "elysia";
import { z } from "zod";
import { twoFactorSince } from "../../../db/access/access-rules";
import * as managers from "../../../db/access/managers";
import { ownerEmail } from "../../../db/contact/owner";
import { brandKeys } from "../../../db/settings/rules";
import * as settings from "../../../db/settings/settings";
import { storedLogo } from "../../../db/storage/pictures";
import type { AssetName } from "../../../views/assets";
import { plate } from "../../../views/brand";
import { type Frame, themes } from "../../../views/components/frame";
import { CustomSettings } from "../../../views/dashboard/settings/custom";
import { changeMail, path, SectionForm, type SectionView } from "../../../views/dashboard/settings/section";
import { Access } from "../../../views/dashboard/settings/access";
import {
  Addresses,
  Appearance,
  BrandPreview,
  CustomSection,
  FieldSection,
  Mail,
  MailSection,
  SettingsFrame,
  SignUpFormSection,
  WelcomeSection,
} from "../../../views/dashboard/settings/settings";
import type { Child } from "../../../views/jsx/jsx-runtime";
import { fragment } from "../../http/response";
import { providerName } from "../../mail/open";
import { actorOf, managerFor } from "../../security/session";
import { withChosenPicture } from "../chosen-picture";
import type { Deps } from "../deps";
import { textFields } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forEveryone, forManagers, forOwners, mayUse } from "../permissions";
import { done, seeOther, show, urlBefore } from "../responses";
import { customSettings } from "./custom";
import { limits, newsletter, sections, type SettingSection } from "./fields";
import { openToNodes } from "../storage/pages";
import { readPostUrl } from "../../content/post-url";
import htmlNewsletter from "../../openapi/docs-snippets/html-newsletter.txt" with { type: "text" };
import { problemOfLogo } from "./brand";
import { changesIn, isForOwners, sectionView, type UnsavedSection } from "./section";
import {
  pageWith,
  pathOf,
  settingsPages,
  type SettingsPage,
  type SettingsPageId,
  settingUrl,
  allTabs,
  tabsFor,
} from "./site-pages";

const title = "Settings";

/**
 * `/dashboard/settings` and its pages: the site, its brand, email, the newsletter, limits, access, and how the dashboard
 * looks to a manager. The first page answers at the old address, whose fragment a browser keeps.
 */
export const settingsDashboard = (deps: Deps) => {
  const area = withSections(pages(path, deps, forManagers), deps, (section) => !isForOwners(section));
  for (const page of settingsPages.filter(({ id }) => id !== "appearance"))
    area.get(`/${page.id}`, ({ request }) => showSettings(deps, request, page));
  return area.post("/test-mail", ({ request }) => sendTestEmail(deps, request));
};

export const ownersSettings = (deps: Deps) => withSections(pages(path, deps, forOwners(changeMail)), deps, isForOwners);

export const appearanceDashboard = (deps: Deps) => {
  const area = pages(path, deps, forEveryone)
    .get("/", ({ request }) => openFirst(deps, request))
    .post("/appearance", ({ request, body }) => saveAppearance(deps, request, body))
    .post("/theme/:theme", ({ request, params }) => changeTheme(deps, request, params.theme));
  for (const page of settingsPages.filter(({ id }) => id === "appearance"))
    area.get(`/${page.id}`, ({ request }) => showSettings(deps, request, page));
  return area;
};

/** Adds a route for each of the sections, which saves it. */
function withSections<Area extends AnyElysia>(
  area: Area,
  deps: Deps,
  isIncluded: (section: SettingSection) => boolean,
) {
  for (const section of [...sections, newsletter, limits].filter(isIncluded))
    area.post(`/${section.id}`, async ({ request, body }) => {
      const waiting = takesPicture(section) && (await withChosenPicture(deps, body));
      if (waiting) return showAgain(deps, request, section, { fields: textFields.parse(waiting), errors: [] }, 200);
      return save(deps, request, section, textFields.parse(body));
    });
  return area;
}

/** Leads to the first page that the role includes. */
async function openFirst(deps: Deps, request: Request) {
  const { role } = managerFor(request).manager;
  const [first] = tabsFor((to) => mayUse(deps, role, to));
  return new Response(null, { status: 303, headers: { location: first?.href ?? pathOf("appearance") } });
}

async function mailOf({ config, db }: Deps, request: Request) {
  return {
    provider: providerName(config),
    from: config.MAIL_FROM,
    owner: await ownerEmail({ config, db }),
    recipient: managerFor(request).manager.email,
  };
}

/** @param unsaved a section that was not saved: shown instead of its saved values */
async function pageFor(deps: Deps, request: Request, page: SettingsPage, frame: Frame, unsaved?: SectionView) {
  const all = await settings.all(deps.db);
  const views = page.sections.map((section) => (section.id === unsaved?.id ? unsaved : sectionView(section, all)));
  return (
    <SettingsFrame tabs={allTabs(frame.may)} here={pathOf(page.id)} title={page.title} lead={page.lead}>
      {views.map((view) => (
        <FieldSection section={view} frame={frame} />
      ))}
      {await others[page.id](deps, request, { frame, all })}
    </SettingsFrame>
  );
}

type Shown = { frame: Frame; all: settings.Setting[] };

/** What each page has besides its fields. */
const others: Record<SettingsPageId, (deps: Deps, request: Request, shown: Shown) => Promise<Child> | Child> = {
  site: async (deps, _, { frame, all }) => {
    const { postUrl, isKnown } = await readPostUrl(deps);
    return (
      <>
        <Addresses
          site={deps.config.BASE_URL}
          posts={isKnown ? postUrl : undefined}
          maySetUp={frame.may(paths.installation)}
        />
        <CustomSection>
          <CustomSettings settings={customSettings(all)} frame={frame} />
        </CustomSection>
      </>
    );
  },
  brand: () => <BrandPreview />,
  email: async (deps, request, { frame }) => <MailSection mail={await mailOf(deps, request)} frame={frame} />,
  newsletter: ({ config: { BASE_URL, BLOG_URL } }, _, { frame }) => (
    <>
      <WelcomeSection />
      <SignUpFormSection
        page={`${BASE_URL}/newsletter`}
        html={htmlNewsletter.trim().replace("{baseUrl}", BASE_URL)}
        origin={new URL(BLOG_URL).origin}
        maySetUp={frame.may(paths.installation)}
      />
    </>
  ),
  limits: () => null,
  security: async ({ db }, _, { frame }) => <Access frame={frame} since={await twoFactorSince(db)} />,
  appearance: (_, __, { frame }) => <Appearance frame={frame} />,
};

async function showSettings(deps: Deps, request: Request, page: SettingsPage) {
  const frame = await frameOf(deps, request);
  const extras = await picturesFor(deps, request, page);
  return show({ frame, title: `${page.title} · ${title}`, extras }, await pageFor(deps, request, page, frame));
}

/** What a page needs on which a picture is chosen or uploaded. */
async function picturesFor(deps: Deps, request: Request, page: SettingsPage): Promise<AssetName[]> {
  if (!page.sections.some(takesPicture)) return [];
  await openToNodes(deps, request);
  return ["editor.css", "pictures.js", "brand.js"];
}

const takesPicture = ({ fields }: SettingSection) => fields.some(({ isPicture }) => isPicture);

async function showAgain(
  deps: Deps,
  request: Request,
  section: SettingSection,
  unsaved: UnsavedSection,
  status: 200 | 409 | 422,
) {
  const [frame, all] = await Promise.all([frameOf(deps, request), settings.all(deps.db)]);
  const view = sectionView(section, all, unsaved);
  const page = pageWith(section.id);
  if (isPartial(request) || !page) return fragment(<SectionForm section={view} frame={frame} />, status);
  const extras = await picturesFor(deps, request, page);
  return show({ frame, title, status, extras }, await pageFor(deps, request, page, frame, view));
}

async function save(deps: Deps, request: Request, section: SettingSection, fields: Record<string, string>) {
  const { db, now } = deps;
  const { changes, errors } = changesIn(section, fields);
  const logo = changes.find(({ key }) => key === brandKeys.logo)?.value;
  const problem = logo && (await problemOfLogo(deps, logo));
  if (problem) errors.push({ field: brandKeys.logo, message: problem });
  if (errors.length) return showAgain(deps, request, section, { fields, errors }, 422);
  const { conflicts, changed } = await settings.save(db, changes, actorOf(request), now());
  if (conflicts) return showAgain(deps, request, section, { fields, errors, conflicts }, 409);
  const [frame, all] = await Promise.all([frameOf(deps, request), settings.all(db)]);
  return done(request, {
    frame,
    title,
    list: <SectionForm section={sectionView(section, all)} frame={frame} />,
    into: `#form-${section.id}`,
    back: settingUrl(section.id),
    notice:
      logo && changed.includes(brandKeys.logo) && (await isTooLight(deps, logo))
        ? { kind: "bad", text: `${section.title} saved, but ${tooLight}` }
        : { kind: "good", text: changed.length ? `${section.title} saved.` : "No changes to save." },
  });
}

const tooLight =
  "the logo is so light that it can hardly be seen: its background is light, in dark mode too. Choose one with darker colours.";
const leastStandingOut = 0.002; // of the pixels: thin letters cover ten times as many

async function isTooLight({ db, storage }: Deps, path: string): Promise<boolean> {
  const file = await storedLogo(db, path);
  return file !== undefined && ((await storage.standingOut(file, plate)) ?? 1) < leastStandingOut;
}

async function sendTestEmail(deps: Deps, request: Request) {
  const [frame, mail] = await Promise.all([frameOf(deps, request), mailOf(deps, request)]);
  await settings.requestTestMail(deps.db, mail.recipient, actorOf(request), deps.now());
  const text = `Test email to ${mail.recipient} queued. See Emails.`;
  return done(request, {
    frame,
    title,
    list: <Mail mail={mail} frame={frame} requested />,
    into: "#form-mail",
    back: settingUrl("mail"),
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
  await managers.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, pathOf("appearance"), { kind: "good", text: "Appearance saved." });
}

/**
 * One of the palette's actions: reloads the page it was chosen on in the other theme. Changing it in place would need a
 * script that knows the themes, for something done once a month.
 */
async function changeTheme(deps: Deps, request: Request, chosen: string) {
  const theme = Preferences.shape.theme.parse(chosen);
  await managers.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen: { theme } },
    actorOf(request),
    deps.now(),
  );
  const { pathname, search } = urlBefore(request);
  return seeOther(request, pathname + search, { kind: "good", text: `Theme changed to ${theme}.` });
}
