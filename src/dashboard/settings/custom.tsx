import { z } from "zod";
import * as settings from "../../../db/settings/settings";
import * as desk from "../../../db/settings/edit";
import { Confirm } from "../../../views/components/dialog";
import type { FieldError } from "../../../views/components/form";
import type { Notice } from "../../../views/components/frame";
import { CustomForm, CustomSettings, type CustomView } from "../../../views/dashboard/settings/custom";
import { changeMail, path } from "../../../views/dashboard/settings/settings";
import type { Deps } from "../../boot/deps";
import { lines } from "../../http/request-schemas";
import { actorOf } from "../../security/session";
import { ask, done, seeOther } from "../responses";
import { readForm, typed } from "../form-input";
import { ownersOnly } from "../owners-only";
import { frameOf, pages } from "../pages";
import { theirsIn } from "./section";

const back = `${path}#custom`;

const keyErrors = {
  secret: "This looks like the name of a secret. Secrets belong in the environment, where no API key can read them.",
  malformed: "Use up to 64 letters, digits, dots, hyphens and underscores, and begin with a letter.",
};

const Custom = z.object({
  key: z
    .string()
    .trim()
    .superRefine((key, { addIssue }) => {
      const refused = settings.refusalOf(key);
      if (refused) addIssue(keyErrors[refused]);
      else if (!settings.isCustom(key)) addIssue("This key has a field of its own on the settings page.");
    }),
  value: lines({ min: 1, max: 2_000 }),
  stamp: z.string(),
  "value.keep": z.string().optional(),
});

/** The setting, and whether only owners change it. */
export const shown = (setting: settings.Setting) => ({ ...setting, isForOwners: settings.isForOwners(setting.key) });

/** The settings beyond the nine of the contract (D27). */
export const customSettingsDashboard = (deps: Deps) => {
  const { db, now } = deps;
  const custom = async () => (await settings.all(db)).filter(({ key }) => settings.isCustom(key));
  const one = async (key: string) => (await custom()).find((setting) => setting.key === key);

  async function doneWith(request: Request, text: string, kind: Notice["kind"] = "good") {
    const [frame, all] = await Promise.all([frameOf(deps, request), custom()]);
    const notice = { kind, text };
    return done(request, {
      frame,
      title: "Settings",
      list: <CustomSettings settings={all.map(shown)} frame={frame} />,
      back,
      notice,
    });
  }

  async function askFor(request: Request, view: CustomView, status?: 409 | 422) {
    const frame = await frameOf(deps, request);
    const title = view.stamp === "none" && !view.theirs ? "Add a key" : `Edit ${view.key}`;
    return ask(request, {
      frame,
      title,
      ...(status && { status }),
      children: <CustomForm frame={frame} custom={view} />,
    });
  }

  return pages(`${path}/custom`, deps)
    .get("/new", ({ request }) => askFor(request, { key: "", value: "", stamp: "none" }))
    .post("/", async ({ request, body }) => {
      const { input, errors } = readForm(Custom, body);
      const again = { key: typed(body, "key"), value: allOf(body, "value"), stamp: allOf(body, "stamp") };
      if (errors) return askFor(request, { ...again, errors }, 422);
      const refused = refusedFor(request, input.key);
      if (refused) return refused;
      const { key, value, stamp } = input;
      if (input["value.keep"] === "theirs") return doneWith(request, `${key} stays as it was saved.`);
      const { clashes } = await desk.save(db, [{ key, value, stamp }], actorOf(request), now());
      const [clash] = clashes ?? [];
      if (!clash) return doneWith(request, `${key} saved.`);
      if (stamp === "none") return askFor(request, { ...again, errors: [keyTaken] }, 422);
      return askFor(request, { key, value, stamp: desk.stampOf(clash.theirs), theirs: theirsIn(clash) }, 409);
    })
    .get("/:key/edit", async ({ request, params }) => {
      const refused = refusedFor(request, params.key);
      if (refused) return refused;
      const setting = await one(params.key);
      if (!setting) return seeOther(request, back, gone(params.key));
      return askFor(request, { key: setting.key, value: setting.value, stamp: desk.stampOf(setting) });
    })
    .get("/:key/remove", async ({ request, params }) => {
      const refused = refusedFor(request, params.key);
      if (refused) return refused;
      const setting = await one(params.key);
      if (!setting) return seeOther(request, back, gone(params.key));
      const frame = await frameOf(deps, request);
      const action = `${path}/custom/${setting.key}/remove`;
      return ask(request, {
        frame,
        title: `Remove ${setting.key}?`,
        children: (
          <Confirm
            frame={frame}
            action={action}
            verb="Remove key"
            cancel={back}
            fields={{ stamp: desk.stampOf(setting) }}
          >
            <p>Sites that read it find nothing there from the next request on.</p>
          </Confirm>
        ),
      });
    })
    .post("/:key/remove", async ({ request, params, body }) => {
      const refused = refusedFor(request, params.key);
      if (refused) return refused;
      const setting = await one(params.key);
      if (!setting) return doneWith(request, gone(params.key).text);
      const wish = { key: setting.key, value: "", stamp: allOf(body, "stamp") };
      const { clashes } = await desk.save(db, [wish], actorOf(request), now());
      return clashes
        ? doneWith(request, `${setting.key} was changed meanwhile, so it was not removed. Look at it first.`, "bad")
        : doneWith(request, `${setting.key} was removed.`);
    });
};

/** One that steers mail is for owners, by whatever route (P75). */
const refusedFor = (request: Request, key: string) =>
  settings.isForOwners(key) ? ownersOnly(request, changeMail) : undefined;

const keyTaken: FieldError = { field: "key", message: "There is such a key already. Edit it in the list." };
const gone = (key: string): Notice => ({ kind: "good", text: `${key} was removed already.` });

/** A field as it was typed, whatever its length: the form shows it again. */
function allOf(body: unknown, field: string): string {
  const fields = z.record(z.string(), z.string()).catch({}).parse(body);
  return fields[field] ?? "";
}
