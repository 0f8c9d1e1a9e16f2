import {
  isValidValue,
  isWelcomeKey,
  maxWelcome,
  welcomeKeys,
  type WelcomeWords,
  welcomeWordsOf,
} from "../../../db/settings/rules";
import { lengthOf } from "../../../db/lib/text";
import { sequenceById } from "../../../db/sequences/sequences";
import * as settings from "../../../db/settings/settings";
import { findStored } from "../../../db/storage/files";
import type { AssetName } from "../../../views/assets";
import type { Notice } from "../../../views/components/frame";
import { ToastPartial } from "../../../views/components/toast";
import { Confirm } from "../../../views/components/confirm";
import { fieldSentence } from "../../../views/components/forms/field-errors";
import { WelcomePage } from "../../../views/dashboard/settings/welcome";
import { paths } from "../../../views/paths";
import { type Check, problemChecks } from "../../broadcasts/letter/checks";
import { readPart } from "../../broadcasts/letter/resolve";
import { withStoredLines } from "../../content/stored-lines";
import { readSite } from "../../emails/site";
import { defaultWelcome, welcome } from "../../emails/welcome";
import { fragment } from "../../http/response";
import { line, typedSource } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { withChosenPicture } from "../chosen-picture";
import { draftPictures, framed } from "../draft-preview";
import { textFields } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, show, showDialog, urlBefore } from "../responses";
import { openToNodes } from "../storage/pages";
import type { SettingSection } from "./fields";
import { changesIn, sectionView, type UnsavedSection } from "./section";

const path = paths.welcome;

/** `/dashboard/settings/welcome`: the text of the welcome email, with a preview. */
export const welcomeDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request }) => showPage(deps, request))
    .post("/", async ({ request, body }) => {
      const waiting = await withChosenPicture(deps, body);
      if (waiting) return showPage(deps, request, { fields: textFields.parse(waiting), errors: [] });
      return save(deps, request, textFields.parse(body));
    })
    .get("/preview", () => showPreview(deps))
    .post("/preview", ({ body }) => showPreview(deps, textFields.parse(body)))
    .get("/reset", ({ request }) => askToReset(deps, request))
    .post("/reset", ({ request, body }) => reset(deps, request, textFields.parse(body)));

const sectionFor = async (deps: Deps) =>
  welcomeSection(defaultWelcome(await readSite(deps)), welcomeWordsOf(await savedSettings(deps)).text);

const savedSettings = async ({ db }: Deps) => (await settings.all(db)).filter(({ key }) => isWelcomeKey(key));

const extras: AssetName[] = ["editor.css", "editor.js", "link.js", "mdx.js"];

type Said = { status?: 200 | 409 | 422; notice?: Notice };

/** The page; or what htmx puts in its place, in which the editor finds its text as it was sent. */
async function showPage(deps: Deps, request: Request, unsaved?: UnsavedSection, { status = 200, notice }: Said = {}) {
  const [frame, section, saved] = await Promise.all([frameOf(deps, request), sectionFor(deps), savedSettings(deps)]);
  const text = unsaved?.fields[welcomeKeys.text] ?? welcomeWordsOf(saved).text;
  const filled = sectionView(section, saved, unsaved);
  const [subject, written, links] = filled.fields;
  if (!subject || !written || !links) throw new Error("The welcome email has other fields");
  const view = {
    frame,
    section: filled,
    words: { subject, text: written, links },
    length: lengthOf(written.value),
    isChanged: saved.length > 0,
    checks: (await problemsOf(deps, text)).checks,
    sequence: await sequenceBehind(deps, request),
  };
  const here = { "hx-retarget": "#welcome", "hx-reswap": "outerHTML" };
  if (isPartial(request))
    return fragment(
      <>
        <WelcomePage {...view} />
        {notice && <ToastPartial notice={notice} token={frame.token} />}
      </>,
      status,
      here,
    );
  await openToNodes(deps, request); // pictures are uploaded from here
  return show({ frame, title: "Welcome email", status, extras }, <WelcomePage {...view} />);
}

/** The sequence from whose page it is edited. */
async function sequenceBehind({ db }: Deps, request: Request) {
  const [here, before] = [new URL(request.url), urlBefore(request)].map(({ searchParams }) =>
    searchParams.get("sequence"),
  );
  const id = here ?? (request.method === "POST" ? before : "");
  return id ? sequenceById(db, id) : undefined;
}

/** The page as it was, from whichever sequence it is edited. */
function pageBefore(request: Request): string {
  const { pathname, search } = urlBefore(request);
  return pathname === path ? path + search : path;
}

async function save(deps: Deps, request: Request, fields: Record<string, string>) {
  const { changes, errors } = changesIn(await sectionFor(deps), fields);
  const text = changes.find(({ key }) => key === welcomeKeys.text)?.value ?? "";
  const problem = errors.length ? undefined : (await problemsOf(deps, text)).blocker;
  if (problem) errors.push({ field: welcomeKeys.text, message: problem });
  if (errors.length) return showPage(deps, request, { fields, errors }, { status: 422 });
  const { conflicts, changed } = await settings.save(deps.db, changes, actorOf(request), deps.now());
  if (conflicts) return showPage(deps, request, { fields, errors, conflicts }, { status: 409 });
  const words = changed.length ? "Welcome email saved." : "No changes to save.";
  const notice = { kind: "good", text: words } as const;
  if (!isPartial(request)) return seeOther(request, pageBefore(request), notice);
  return showPage(deps, request, { fields: withoutStamps(fields), errors }, { notice });
}

/** What was sent, on top of what is saved now. */
const withoutStamps = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !name.endsWith(".stamp")));

/** Previews what is saved, or what was typed as far as it could be saved. */
async function showPreview(deps: Deps, fields?: Record<string, string>) {
  if (!fields) return emailPreview(deps, welcomeWordsOf(await savedSettings(deps)));
  const section = await sectionFor(deps);
  const { changes, errors } = changesIn(section, fields);
  const label = section.fields.find(({ key }) => key === errors[0]?.field)?.label ?? "";
  return emailPreview(deps, welcomeWordsOf(changes), errors[0] && fieldSentence(label, errors[0].message));
}

const stampsOf = (saved: settings.Setting[]) =>
  Object.fromEntries(saved.map((setting) => [`${setting.key}.stamp`, settings.stampOf(setting)]));

async function askToReset(deps: Deps, request: Request) {
  const [frame, saved] = await Promise.all([frameOf(deps, request), savedSettings(deps)]);
  const children = (
    <Confirm frame={frame} action={`${path}/reset`} verb="Reset" cancel={path} fields={stampsOf(saved)}>
      <p>The default words, in the language of the site, replace the subject, the text and the links.</p>
    </Confirm>
  );
  return showDialog(request, { frame, title: "Reset the welcome email?", children });
}

async function reset(deps: Deps, request: Request, fields: Record<string, string>) {
  const removals = (await savedSettings(deps)).map(({ key }): settings.SettingChange => ({
    key,
    value: "",
    stamp: fields[`${key}.stamp`] ?? "",
  }));
  const { conflicts } = await settings.save(deps.db, removals, actorOf(request), deps.now());
  return conflicts
    ? seeOther(request, path, { kind: "bad", text: "Someone else changed the welcome email, so it was not reset." })
    : seeOther(request, path, { kind: "good", text: "Welcome email reset to the default." });
}

/**
 * The text of the welcome email. A text equal to the default is not stored, so that it follows the site's language.
 * Each line that was not touched keeps its bytes.
 */
const welcomeSection = (defaults: { subject: string; text: string }, stored: string): SettingSection => ({
  id: "welcome",
  title: "Welcome email",
  about: "",
  fields: [
    {
      key: welcomeKeys.subject,
      label: "Subject",
      hint: "A custom subject also becomes the heading.",
      initial: defaults.subject,
      schema: line({ max: maxWelcome.subject }).transform((text) => (text === defaults.subject ? "" : text)),
    },
    {
      key: welcomeKeys.text,
      label: "Text",
      rows: 14,
      initial: defaults.text,
      schema: typedSource({ max: maxWelcome.text }).transform((text) =>
        !text.trim() || text === defaults.text ? "" : withStoredLines(stored, text),
      ),
    },
    {
      key: welcomeKeys.links,
      label: "Links below the text",
      options: [
        ["posts", "Recent posts"],
        ["newsletters", "Recent newsletters in the archive"],
        ["none", "None"],
      ],
      schema: line({ max: 20 }).refine((text) => isValidValue(welcomeKeys.links, text), "Choose one of the options."),
    },
  ],
});

const maxPictures = 20;

async function partOf(deps: Deps, text: string) {
  const { t, siteUrl } = await readSite(deps);
  return readPart(text, "text", { t, siteUrl, base: deps.config.BLOG_URL });
}

/** What prevents saving a text, and what is worth knowing about it. */
async function problemsOf(deps: Deps, text: string): Promise<{ blocker?: string; checks: Check[] }> {
  if (!text.trim()) return { checks: [] };
  const { nodes, files, problems } = await partOf(deps, text);
  const checks = problemChecks(problems);
  if (!nodes.length) return { blocker: "Readers would see nothing of this text. Write some words.", checks };
  if (files.length > maxPictures) return { blocker: `Use at most ${maxPictures} files from Storage.`, checks };
  for (const file of files)
    if (!(await findStored(deps.db, file.split("/")[2] ?? "")))
      return { blocker: `Readers cannot see ${file}: it is not in Storage.`, checks };
  return { checks };
}

/** The email to an imaginary subscriber, for a frame. @param error why the text cannot be saved */
async function emailPreview(deps: Deps, words: WelcomeWords, error?: string) {
  if (error) return framed("text/plain", `The words cannot be saved: ${error}`, [], 422);
  const [site, { files }] = await Promise.all([readSite(deps), partOf(deps, words.text)]);
  const logo = site.brand.logo ? [site.brand.logo.path] : [];
  const { preview, origins } = await draftPictures(deps, [...files.slice(0, maxPictures), ...logo]);
  const options = { words, site, unsubscribeUrl: "#", preferencesUrl: "#", at: deps.now(), preview };
  const { html } = await welcome(deps, "reader@example.com", options);
  return framed("text/html", html, origins);
}
