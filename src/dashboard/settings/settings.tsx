import { z } from "zod";
import * as managers from "../../../db/access/managers";
import { ownerAddress } from "../../../db/contact/owner";
import * as settings from "../../../db/settings/settings";
import * as desk from "../../../db/settings/edit";
import type { Frame } from "../../../views/components/frame";
import { CustomSettings } from "../../../views/dashboard/settings/custom";
import {
  changeMail,
  Mail,
  path,
  SectionForm,
  SettingsPage,
  type SectionView,
} from "../../../views/dashboard/settings/settings";
import type { Deps } from "../../boot/deps";
import { fragment } from "../../http/response";
import { actorOf, managerFor } from "../../security/session";
import { shown } from "./custom";
import { done, seeOther, show } from "../responses";
import { ownersOnly } from "../owners-only";
import { frameOf, isPartial, isTimeZone, pages } from "../pages";
import { isForOwners, sectionView, type Typed, wishesIn } from "./section";
import { limits, type SettingSection, sections } from "./fields";

/** What is not one of the options is the first of them. */
const Preferences = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  density: z.enum(["compact", "comfortable"]).catch("compact"),
  shortcuts: z.enum(["on", "off"]).catch("on"),
  timeZone: z.string().max(64).refine(isTimeZone).catch(""),
});
const Fields = z.record(z.string(), z.string()).catch({});

const title = "Settings";
const zones = Intl.supportedValuesOf("timeZone");

export const settingsDashboard = (deps: Deps) => {
  const { config, db, now } = deps;

  const mailOf = async (request: Request) => ({
    isLive: Boolean(config.MAILER_API_KEY),
    from: config.MAIL_FROM,
    owner: config.OWNER_EMAIL ?? (await db.read(ownerAddress)),
    recipient: managerFor(request).manager.email,
  });

  /** @param again a section that wants another look: it is shown instead of what is saved of it */
  async function pageFor(request: Request, frame: Frame, again?: SectionView) {
    const [all, mail] = await Promise.all([settings.all(db), mailOf(request)]);
    const view = (section: SettingSection) => (section.id === again?.id ? again : sectionView(section, all));
    const chosen = managerFor(request).manager.preferences.timeZone ?? "";
    return (
      <SettingsPage
        {...{ frame, mail, sections: sections.map(view), limits: view(limits), zones: { all: zones, chosen } }}
      >
        <CustomSettings settings={all.filter(({ key }) => settings.isCustom(key)).map(shown)} frame={frame} />
      </SettingsPage>
    );
  }

  async function askAgain(request: Request, section: SettingSection, typed: Typed, status: 409 | 422) {
    const [frame, all] = await Promise.all([frameOf(deps, request), settings.all(db)]);
    const view = sectionView(section, all, typed);
    if (isPartial(request)) return fragment(<SectionForm section={view} frame={frame} />, status);
    return show({ frame, title, status }, await pageFor(request, frame, view));
  }

  async function save(request: Request, section: SettingSection, fields: Record<string, string>) {
    const { wishes, errors } = wishesIn(section, fields);
    if (errors.length) return askAgain(request, section, { fields, errors }, 422);
    const { clashes, changed } = await desk.save(db, wishes, actorOf(request), now());
    if (clashes) return askAgain(request, section, { fields, errors, clashes }, 409);
    const [frame, all] = await Promise.all([frameOf(deps, request), settings.all(db)]);
    return done(request, {
      frame,
      title: "Settings",
      list: <SectionForm section={sectionView(section, all)} frame={frame} />,
      into: `#form-${section.id}`,
      back: `${path}#${section.id}`,
      notice: { kind: "good", text: changed.length ? `${section.title} saved.` : "Nothing to save: all is as it was." },
    });
  }

  const area = pages(path, deps)
    .get("/", async ({ request }) => {
      const frame = await frameOf(deps, request);
      return show({ frame, title }, await pageFor(request, frame));
    })
    .post("/test-mail", async ({ request }) => {
      const [frame, mail] = await Promise.all([frameOf(deps, request), mailOf(request)]);
      await desk.requestTestMail(db, mail.recipient, actorOf(request), now());
      const list = <Mail mail={mail} frame={frame} requested />;
      const text = `A test e-mail to ${mail.recipient} is on its way: see Emails.`;
      return done(request, {
        frame,
        title: "Settings",
        list,
        into: "#form-mail",
        back: `${path}#mail`,
        notice: { kind: "good", text },
      });
    })
    .post("/appearance", async ({ request, body }) => {
      const chosen = Preferences.parse(Fields.parse(body));
      await managers.prefer(db, managerFor(request).manager, chosen, actorOf(request), now());
      return seeOther(request, `${path}#appearance`, { kind: "good", text: "Appearance saved." });
    });

  for (const section of [...sections, limits])
    area.post(
      `/${section.id}`,
      ({ request, body }) =>
        (isForOwners(section) ? ownersOnly(request, changeMail) : undefined) ??
        save(request, section, Fields.parse(body)),
    );
  return area;
};
