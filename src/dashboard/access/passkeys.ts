import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import * as passkeys from "../../../db/access/passkeys";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { PasskeyFields } from "../../fields/manager";
import { register, registrationOptions } from "../../security/passkeys";
import { actorOf, managerFor } from "../../security/session/session";
import { isFresh } from "../../security/session/rules";
import { seeOther } from "../responses";
import { leaveNotice, pages } from "../pages";
import { neededNotice } from "./two-factor";
import { Credential, json, refuse } from "./passkey-sign-in";

const Add = PasskeyFields.extend({ response: Credential });

/** A manager's own passkeys: `/dashboard/account/passkeys`. */
export const passkeysDashboard = (deps: Deps) =>
  pages(paths.passkeys, deps, { isForEverybody: true })
    .post("/challenge", async ({ request }) =>
      isFresh(managerFor(request), deps.now())
        ? json(await registrationOptions(deps, managerFor(request)))
        : refuse(passwordNeeded, 403),
    )
    .post("/", ({ request, body }) => add(deps, request, body))
    .post("/:id/rename", ({ request, params: { id }, body }) => rename(deps, request, id, body))
    .post("/:id/remove", ({ request, params: { id } }) => remove(deps, request, id));

const passkeyList = `${paths.account}#passkeys`;
const nameNeeded = "Enter a passkey name (up to 60 characters).";
const passwordNeeded = "Reload the page and confirm your password first.";

async function add(deps: Deps, request: Request, body: unknown) {
  const { db, now } = deps;
  const present = managerFor(request);
  if (!isFresh(present, now())) return refuse(passwordNeeded, 403);
  const { data: input } = Add.safeParse(body);
  if (!input) return refuse(nameNeeded);
  const registered = await register(deps, present, input.response as unknown as RegistrationResponseJSON);
  const named = registered && { ...registered, name: input.name };
  const added =
    named && (await passkeys.add(db, { manager: present.manager, passkey: named }, actorOf(request), now()));
  if (!added) return refuse("That passkey could not be added. Try again.");
  leaveNotice(request, { kind: "good", text: `Passkey “${input.name}” added.` });
  return json({ location: paths.account }, 201);
}

/** Needs no password, like a new name for the account: a name opens nothing. */
async function rename({ db, now }: Deps, request: Request, id: string, body: unknown) {
  const { data: input } = PasskeyFields.safeParse(body);
  if (!input) return seeOther(request, passkeyList, { kind: "bad", text: nameNeeded });
  const renamed = await passkeys.rename(
    db,
    { manager: managerFor(request).manager, id, name: input.name },
    actorOf(request),
    now(),
  );
  if (!renamed) return seeOther(request, passkeyList, { kind: "bad", text: "That passkey was already removed." });
  return seeOther(request, passkeyList, { kind: "good", text: `Passkey renamed to “${input.name}”.` });
}

async function remove({ db, now }: Deps, request: Request, id: string) {
  const removed = await passkeys.remove(db, { manager: managerFor(request).manager, id }, actorOf(request), now());
  if (removed === "needed") return seeOther(request, paths.account, neededNotice);
  const text = removed ? `Passkey “${removed.name}” removed.` : "That passkey was already removed.";
  return seeOther(request, paths.account, { kind: "good", text });
}
