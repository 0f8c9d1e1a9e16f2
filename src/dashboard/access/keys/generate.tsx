import { z } from "zod";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import type { Orm } from "../../../../db/engine/open";
import { scopes, scopesOfBefore } from "../../../../db/schema/scopes";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import { NewKeyForm } from "../../../../views/dashboard/access/new-api-key";
import type { Deps } from "../../deps";
import {
  keyFolder,
  keyName,
  keyNetworks,
  keyTypes,
  readNetworks,
  readScopes,
  readUploadLimits,
} from "../../../fields/api-key";
import { inputOf } from "../../../fields/field";
import { issueOnce, submitOnce } from "../../../security/forgery";
import { actorOf, managerFor } from "../../../security/session";
import { contextOf } from "../../../platform/request-context";
import { seeOther, showDialog } from "../../responses";
import { frameOf } from "../../pages";
import { alreadyShown, path, reveal } from "./list";
import { dayMs } from "../../../../db/lib/time";

const text = z.string().catch("");
const KeyForm = z.object({
  name: text,
  once: text,
  days: z.enum(["30", "90", "365"]).or(z.literal("")).catch(""),
  networks: text,
  maxBytes: text,
  types: text,
  folder: text,
  /** The form with scopes, of which none may be ticked. A program may send only the name. */
  limited: text,
  scopes: z
    .union([z.string(), z.array(z.string())])
    .transform((ticked) => scopes.filter((scope) => [ticked].flat().includes(scope)))
    .catch([]),
});
const unlimited = { maxBytes: "", types: "", folder: "" };
const nothing = { name: "", once: "", days: "" as const, networks: "", limited: "", scopes: [], ...unlimited };
type Filled = z.infer<typeof KeyForm>;

const inputs = {
  name: inputOf("name", keyName),
  networks: inputOf("networks", keyNetworks),
  types: inputOf("types", keyTypes),
  folder: inputOf("folder", keyFolder),
};

const unfilled = { name: "", days: "", networks: "", scopes: scopesOfBefore, ...unlimited };

export async function askName(deps: Deps, request: Request, refused?: { values: Filled; errors: FieldError[] }) {
  const frame = await frameOf(deps, request);
  const context = contextOf(request);
  const once = context.isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const { values, errors } = refused ?? { values: unfilled, errors: [] };
  const form = (
    <NewKeyForm frame={frame} once={once} inputs={inputs} values={values} address={context.address} errors={errors} />
  );
  return showDialog(request, { frame, title: "Generate new key", status: refused ? 422 : 200, children: form });
}

/** Generates a key. The form's token is used up, so that sending it twice generates no second key. */
export async function generate(deps: Deps, request: Request, body: unknown) {
  const { config, now } = deps;
  const { data: values = nothing } = KeyForm.safeParse(body);
  const again = (...errors: FieldError[]) => askName(deps, request, { values, errors });
  const { data: name } = keyName.safeParse(values.name);
  if (name === undefined) return again(nameMissing);
  const chosen = values.limited ? readScopes(values.scopes) : { scopes: null };
  if ("problem" in chosen) return again(scopesMissing);
  const allowed = readNetworks(values.networks, config);
  if ("problem" in allowed) return again({ field: "networks", message: allowed.problem });
  const uploadable = readUploadLimits(values);
  if ("problem" in uploadable) return again({ field: uploadable.field, message: uploadable.problem });
  const expiresAt = values.days ? new Date(now().getTime() + Number(values.days) * dayMs) : undefined;
  const wanted = { prefix: config.KEY_PREFIX, name, expiresAt, ...chosen, ...allowed, ...uploadable };
  const work = (orm: Orm) => apiKeys.generateIn(orm, actorOf(request), wanted, now());
  const made = await submitOnce(deps, managerFor(request).session, values.once, work);
  if (made === "used") return seeOther(request, path, { kind: "bad", text: alreadyShown });
  return made ? reveal(deps, request, made) : again(nameTaken);
}

const nameMissing = { field: "name", message: "Enter a name (up to 60 characters)." };
const nameTaken = { field: "name", message: "Another active key already has this name. Choose a different name." };
const scopesMissing = { field: "scopes", message: "Choose at least one scope." };
