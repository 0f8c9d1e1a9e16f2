import { z } from "zod";
import * as keyRules from "../../../db/settings/rules";
import * as settings from "../../../db/settings/settings";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Notice } from "../../../views/components/frame";
import { CustomForm, CustomSettings, type CustomView } from "../../../views/dashboard/settings/custom";
import { changeMail, path } from "../../../views/dashboard/settings/section";
import { inputsOf } from "../../fields/field";
import { lines } from "../../platform/text/schemas";
import { actorOf, managerFor } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields, typed } from "../form-input";
import { frameOf, pages, refusalFor } from "../pages";
import { allows, forManagers, forOwners } from "../permissions";
import { done, seeOther, showDialog } from "../responses";
import { theirsIn } from "./section";
import { hasField } from "./fields";
import { settingUrl } from "./site-pages";

const customPath = `${path}/custom`;
const back = settingUrl("custom");

const keyErrors = {
  secret: "This looks like a secret. Keep secrets on your own servers: API keys that may read settings can read them.",
  malformed: "Use up to 64 letters, digits, dots, hyphens or underscores, starting with a letter.",
};

const Custom = z.object({
  key: z
    .string()
    .trim()
    .superRefine((key, { addIssue }) => {
      const refusal = keyRules.refusalOf(key);
      if (refusal) addIssue(keyErrors[refusal]);
      else if (!keyRules.isCustom(key) || hasField(key))
        addIssue("This setting has its own field in Settings. Edit it there.");
    })
    .max(64, keyErrors.malformed),
  value: lines({ min: 1, max: 2_000 }),
  stamp: z.string(),
  "value.keep": z.string().optional(),
});
const inputs = inputsOf(Custom);

/** The settings without a field of their own, and whether only owners can change them. */
export const customSettings = (all: settings.Setting[]) =>
  all
    .filter(({ key }) => keyRules.isCustom(key) && !hasField(key))
    .map((setting) => ({ ...setting, isForOwners: keyRules.isForOwners(setting.key) }));

/** The settings beyond those with a field of their own (D27). */
export const customSettingsDashboard = (deps: Deps) =>
  pages(customPath, deps, forManagers)
    .get("/new", ({ request }) => showForm(deps, request, { key: "", value: "", stamp: "none" }))
    .post("/", ({ request, body }) => save(deps, request, body))
    .get("/:key/edit", ({ request, params: { key } }) => keyRefusal(deps, request, key) ?? edit(deps, request, key))
    .get(
      "/:key/remove",
      ({ request, params: { key } }) => keyRefusal(deps, request, key) ?? askToRemove(deps, request, key),
    )
    .post(
      "/:key/remove",
      ({ request, params: { key }, body }) => keyRefusal(deps, request, key) ?? remove(deps, request, key, body),
    );

const list = async ({ db }: Deps) => (await settings.all(db)).filter(({ key }) => keyRules.isCustom(key));
const byKey = async (deps: Deps, key: string) => (await list(deps)).find((setting) => setting.key === key);

/** Responds after an action: the current list, with a notice. */
async function doneWith(deps: Deps, request: Request, text: string, kind: Notice["kind"] = "good") {
  const [frame, all] = await Promise.all([frameOf(deps, request), list(deps)]);
  const rows = <CustomSettings settings={customSettings(all)} frame={frame} />;
  return done(request, { frame, title: "Settings", list: rows, back, notice: { kind, text } });
}

async function showForm(deps: Deps, request: Request, view: CustomView, status?: 409 | 422) {
  const frame = await frameOf(deps, request);
  const title = view.stamp === "none" && !view.theirs ? "Add key" : `Edit ${view.key}`;
  return showDialog(request, {
    frame,
    title,
    ...(status && { status }),
    children: <CustomForm frame={frame} custom={view} inputs={inputs} />,
  });
}

async function save(deps: Deps, request: Request, body: unknown) {
  const asTyped = { key: typed(body, "key"), value: wholeField(body, "value"), stamp: wholeField(body, "stamp") };
  const refusal = keyRefusal(deps, request, asTyped.key.trim());
  if (refusal) return refusal;
  const { input, errors } = readForm(Custom, body);
  if (errors) return showForm(deps, request, { ...asTyped, errors }, 422);
  const { key, value, stamp } = input;
  if (input["value.keep"] === "theirs") return doneWith(deps, request, `“${key}” was not changed.`);
  const change = { key, value, stamp, ...(stamp === "none" && { isPublic: true }) };
  const { conflicts } = await settings.save(deps.db, [change], actorOf(request), deps.now());
  const [conflict] = conflicts ?? [];
  if (!conflict) return doneWith(deps, request, `“${key}” saved.`);
  if (stamp === "none") return showForm(deps, request, { ...asTyped, errors: [keyTaken] }, 422);
  return showForm(
    deps,
    request,
    { key, value, stamp: settings.stampOf(conflict.theirs), theirs: theirsIn(conflict) },
    409,
  );
}

async function edit(deps: Deps, request: Request, key: string) {
  const setting = await byKey(deps, key);
  if (!setting) return seeOther(request, back, gone(key));
  return showForm(deps, request, { key: setting.key, value: setting.value, stamp: settings.stampOf(setting) });
}

async function askToRemove(deps: Deps, request: Request, key: string) {
  const setting = await byKey(deps, key);
  if (!setting) return seeOther(request, back, gone(key));
  const frame = await frameOf(deps, request);
  const action = `${customPath}/${setting.key}/remove`;
  const fields = { stamp: settings.stampOf(setting) };
  return showDialog(request, {
    frame,
    title: `Remove “${setting.key}”?`,
    children: (
      <Confirm frame={frame} action={action} verb="Remove key" cancel={back} fields={fields}>
        <p>Sites that read it will get no value from their next request.</p>
      </Confirm>
    ),
  });
}

async function remove(deps: Deps, request: Request, key: string, body: unknown) {
  const setting = await byKey(deps, key);
  if (!setting) return doneWith(deps, request, gone(key).text);
  const removal = { key: setting.key, value: "", stamp: wholeField(body, "stamp") };
  const { conflicts } = await settings.save(deps.db, [removal], actorOf(request), deps.now());
  return conflicts
    ? doneWith(deps, request, `“${key}” was changed by someone else, so it was not removed. Review it first.`, "bad")
    : doneWith(deps, request, `“${key}” removed.`);
}

/** Keys that decide where email goes are for owners, whichever form they use. */
const keyRefusal = (deps: Deps, request: Request, key: string) => {
  const permission = keyRules.isForOwners(key) ? forOwners(changeMail) : forManagers;
  return allows(permission, managerFor(request).manager.role) ? undefined : refusalFor(deps, request, permission);
};

const keyTaken: FieldError = { field: "key", message: "This key already exists. Edit it in the list." };
const gone = (key: string): Notice => ({ kind: "good", text: `“${key}” was already removed.` });

/** A field exactly as typed, however long, so that the form can show it again. */
function wholeField(body: unknown, field: string): string {
  const fields = textFields.parse(body);
  return fields[field] ?? "";
}
