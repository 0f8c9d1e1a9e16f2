import { z } from "zod";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import type { Orm } from "../../../../db/engine/open";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import { NewKeyForm } from "../../../../views/dashboard/access/new-api-key";
import type { Deps } from "../../deps";
import { field, inputOf } from "../../../fields/field";
import { line } from "../../../platform/text/schemas";
import { issueOnce, submitOnce } from "../../../security/one-time-form";
import { actorOf, managerFor } from "../../../security/session/session";
import { contextOf } from "../../../platform/request-context";
import { seeOther, showDialog } from "../../responses";
import { frameOf } from "../../pages";
import { alreadyShown, path, reveal } from "./list";

const NewKeyInput = z
  .object({
    name: z.string().catch(""),
    once: z.string().catch(""),
    days: z.enum(["30", "90", "365"]).optional().catch(undefined),
  })
  .catch({ name: "", once: "" });
const keyName = field(line({ min: 1, max: 60 }), {
  label: "Name",
  hint: "Where the key will be used, for example “Blog (production)”.",
});
const nameInput = inputOf("name", keyName);

const dayMs = 86_400_000;

export async function askName(deps: Deps, request: Request, refused?: { name: string; errors: FieldError[] }) {
  const frame = await frameOf(deps, request);
  const once = contextOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const form = <NewKeyForm frame={frame} once={once} input={nameInput} {...refused} />;
  return showDialog(request, { frame, title: "Generate new key", status: refused ? 422 : 200, children: form });
}

/** Generates a key. The form's token is used up, so that sending it twice generates no second key. */
export async function generate(deps: Deps, request: Request, body: unknown) {
  const { config, now } = deps;
  const { name, once, days } = NewKeyInput.parse(body);
  const { data: validName } = keyName.safeParse(name);
  if (validName === undefined) return askName(deps, request, { name, errors: [nameMissing] });
  const expiresAt = days && new Date(now().getTime() + Number(days) * dayMs);
  const wanted = { prefix: config.KEY_PREFIX, name: validName, ...(expiresAt && { expiresAt }) };
  const work = (orm: Orm) => apiKeys.generateIn(orm, actorOf(request), wanted, now());
  const made = await submitOnce(deps, managerFor(request).session, once, work);
  if (made === "used") return seeOther(request, path, { kind: "bad", text: alreadyShown });
  return made ? reveal(deps, request, made) : askName(deps, request, { name, errors: [nameTaken] });
}

const nameMissing = { field: "name", message: "Enter a name (up to 60 characters)." };
const nameTaken = { field: "name", message: "Another active key already has this name. Choose a different name." };
