import { z } from "zod";
import { type SettingChange, save as saveSettings, stampOf } from "../../../db/settings/edit";
import * as settings from "../../../db/settings/settings";
import { isWelcomeKey, welcomeKeys, welcomeWordsOf } from "../../../db/settings/rules";
import { Confirm } from "../../../views/components/confirm";
import { fieldSentence } from "../../../views/components/forms/field-errors";
import { WelcomePage } from "../../../views/dashboard/settings/welcome";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { defaultWelcome } from "../../emails/welcome";
import { readSite } from "../../emails/site";
import { policyWithFrame } from "../../security/headers";
import { actorOf } from "../../security/session/session";
import { frameOf, pages } from "../pages";
import { ask, seeOther, show } from "../responses";
import { changesIn, sectionView, type UnsavedSection } from "./section";
import { welcomeSection } from "./welcome-fields";
import { previewOf, problemsOf } from "./welcome-preview";

const path = paths.welcome;
const Fields = z.record(z.string(), z.string()).catch({});

/** `/dashboard/settings/welcome`: the text of the welcome email, with a preview. */
export const welcomeDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request }) => showPage(deps, request))
    .post("/", ({ request, body }) => save(deps, request, Fields.parse(body)))
    .get("/preview", () => showPreview(deps))
    .post("/preview", ({ body }) => showPreview(deps, Fields.parse(body)))
    .get("/reset", ({ request }) => askToReset(deps, request))
    .post("/reset", ({ request, body }) => reset(deps, request, Fields.parse(body)));

const sectionFor = async (deps: Deps) => welcomeSection(defaultWelcome(await readSite(deps)));

const stored = async ({ db }: Deps) => (await settings.all(db)).filter(({ key }) => isWelcomeKey(key));

async function showPage(deps: Deps, request: Request, unsaved?: UnsavedSection, status: 200 | 409 | 422 = 200) {
  const [frame, section, saved] = await Promise.all([frameOf(deps, request), sectionFor(deps), stored(deps)]);
  const text = unsaved?.fields[welcomeKeys.text] ?? welcomeWordsOf(saved).text;
  const view = {
    frame,
    section: sectionView(section, saved, unsaved),
    isChanged: saved.length > 0,
    checks: (await problemsOf(deps, text)).checks,
  };
  const response = show({ frame, title: "Welcome email", status }, <WelcomePage {...view} />);
  response.headers.set("content-security-policy", policyWithFrame);
  return response;
}

async function save(deps: Deps, request: Request, fields: Record<string, string>) {
  const { changes, errors } = changesIn(await sectionFor(deps), fields);
  const text = changes.find(({ key }) => key === welcomeKeys.text)?.value ?? "";
  const problem = errors.length ? undefined : (await problemsOf(deps, text)).blocker;
  if (problem) errors.push({ field: welcomeKeys.text, message: problem });
  if (errors.length) return showPage(deps, request, { fields, errors }, 422);
  const { conflicts, changed } = await saveSettings(deps.db, changes, actorOf(request), deps.now());
  if (conflicts) return showPage(deps, request, { fields, errors, conflicts }, 409);
  return seeOther(request, path, {
    kind: "good",
    text: changed.length ? "Welcome email saved." : "No changes to save.",
  });
}

/** Previews what is saved, or what was typed as far as it could be saved. */
async function showPreview(deps: Deps, fields?: Record<string, string>) {
  if (!fields) return previewOf(deps, welcomeWordsOf(await stored(deps)));
  const section = await sectionFor(deps);
  const { changes, errors } = changesIn(section, fields);
  const label = section.fields.find(({ key }) => key === errors[0]?.field)?.label ?? "";
  return previewOf(deps, welcomeWordsOf(changes), errors[0] && fieldSentence(label, errors[0].message));
}

const stampsOf = (saved: settings.Setting[]) =>
  Object.fromEntries(saved.map((setting) => [`${setting.key}.stamp`, stampOf(setting)]));

async function askToReset(deps: Deps, request: Request) {
  const [frame, saved] = await Promise.all([frameOf(deps, request), stored(deps)]);
  const children = (
    <Confirm frame={frame} action={`${path}/reset`} verb="Reset" cancel={path} fields={stampsOf(saved)}>
      <p>The default words, in the language of the site, replace the subject, the text and the links.</p>
    </Confirm>
  );
  return ask(request, { frame, title: "Reset the welcome email?", children });
}

async function reset(deps: Deps, request: Request, fields: Record<string, string>) {
  const removals = (await stored(deps)).map(({ key }): SettingChange => ({
    key,
    value: "",
    stamp: fields[`${key}.stamp`] ?? "",
  }));
  const { conflicts } = await saveSettings(deps.db, removals, actorOf(request), deps.now());
  return conflicts
    ? seeOther(request, path, { kind: "bad", text: "Someone else changed the welcome email, so it was not reset." })
    : seeOther(request, path, { kind: "good", text: "Welcome email reset to the default." });
}
