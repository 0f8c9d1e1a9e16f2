import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import * as passkeys from "../../../db/access/passkeys";
import * as audit from "../../../db/audit";
import { RemovePasskey } from "../../../views/dashboard/access/passkeys";
import { paths } from "../../../views/paths";
import { PasskeyFields } from "../../fields/manager";
import { clientNetwork } from "../../platform/client-address";
import { contextOf } from "../../platform/request-context";
import { limits as limitOf } from "../../security/limits/limits";
import { authenticate, authenticationOptions, register, registrationOptions } from "../../security/passkeys";
import { actorOf, dashboardPath, isFresh, managerFor, newDevice } from "../../security/session";
import type { Deps } from "../deps";
import { frameOf, leaveNotice, pages } from "../pages";
import { forOwnAccount } from "../permissions";
import { json, seeOther, showDialog } from "../responses";
import { completeSignIn, signedOutPages } from "./signed-out-pages";
import { neededNotice } from "./two-factor";

/** What every credential has; the library checks what it says. */
const CredentialParts = z.looseObject({
  id: z.string().max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal("public-key"),
  response: z.looseObject({ clientDataJSON: z.string() }),
  clientExtensionResults: z.looseObject({}).optional(),
});
const credential = <Kind>() => z.custom<Kind>((value) => CredentialParts.safeParse(value).success);
const SignIn = z.object({ response: credential<AuthenticationResponseJSON>(), next: z.string().optional() });

const refuse = (message: string, status = 422) => json({ message }, status);

/** Signs in with a passkey. It proves both possession and the person, so no two-step verification follows. */
export const passkeySignIn = (deps: Deps) =>
  signedOutPages(deps)
    .post(
      "/sign-in/passkey/challenge",
      async ({ request }) => (await tooManyAttempts(deps, request)) ?? json(await authenticationOptions(deps)),
    )
    .post(
      "/sign-in/passkey",
      async ({ request, body }) => (await tooManyAttempts(deps, request)) ?? signIn(deps, request, body),
    );

const tooManyAttempts = async ({ limits }: Deps, request: Request) =>
  (await limits.take(limitOf.passkey, clientNetwork(contextOf(request).address))).admitted
    ? undefined
    : refuse("Too many attempts. Try again in a few minutes, or use your password.", 429);

async function signIn(deps: Deps, request: Request, body: unknown) {
  const { config, db, now } = deps;
  const { data: input } = SignIn.safeParse(body);
  const proven = input && (await authenticate(deps, input.response));
  const { token, device } = newDevice(config, request, proven?.manager.email);
  const present = proven && (await passkeys.signIn(db, { id: proven.id, counter: proven.counter }, device, now()));
  if (!present) {
    const from = { actor: "visitor", address: device.address };
    await audit.recordAlone(db, { ...from, action: "session.refuse", details: { method: "passkey" } }, now());
    return refuse("This passkey is not registered. Sign in with your password.");
  }
  const location = dashboardPath(input.next);
  const { headers } = completeSignIn(deps, request, { token, email: present.manager.email }, location);
  headers.delete("location");
  return Response.json({ location }, { headers });
}

const Add = PasskeyFields.extend({ response: credential<RegistrationResponseJSON>() });

/** A manager's own passkeys: `/dashboard/account/passkeys`. */
export const passkeysDashboard = (deps: Deps) =>
  pages(paths.passkeys, deps, forOwnAccount)
    .post("/challenge", async ({ request }) =>
      isFresh(managerFor(request), deps.now())
        ? json(await registrationOptions(deps, managerFor(request)))
        : refuse(passwordNeeded, 403),
    )
    .post("/", ({ request, body }) => add(deps, request, body))
    .post("/:id/rename", ({ request, params: { id }, body }) => rename(deps, request, id, body))
    .get("/:id/remove", ({ request, params: { id } }) => askRemoval(deps, request, id))
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
  const registered = await register(deps, present, input.response);
  const named = registered && { ...registered, name: input.name };
  const added =
    named && (await passkeys.add(db, { manager: present.manager, passkey: named }, actorOf(request), now()));
  if (!added) return refuse("That passkey could not be added. Try again.");
  leaveNotice(request, { kind: "good", text: `Passkey “${input.name}” added.` });
  return json({ location: paths.account }, 201);
}

/** Renaming asks for no password, because a name gives no access. */
async function rename({ db, now }: Deps, request: Request, id: string, body: unknown) {
  const { data: input } = PasskeyFields.safeParse(body);
  if (!input) return seeOther(request, passkeyList, { kind: "bad", text: nameNeeded });
  const renamed = await passkeys.rename(
    db,
    { manager: managerFor(request).manager, id, name: input.name },
    actorOf(request),
    now(),
  );
  if (!renamed) return seeOther(request, passkeyList, { kind: "bad", text: alreadyRemoved });
  return seeOther(request, passkeyList, { kind: "good", text: `Passkey renamed to “${input.name}”.` });
}

async function askRemoval(deps: Deps, request: Request, id: string) {
  const passkey = (await passkeys.list(deps.db, managerFor(request).manager.id)).find((each) => each.id === id);
  if (!passkey) return seeOther(request, paths.account, { kind: "good", text: alreadyRemoved });
  const frame = await frameOf(deps, request);
  const children = RemovePasskey({ frame, passkey });
  return showDialog(request, { frame, title: `Remove “${passkey.name}”?`, children });
}

const alreadyRemoved = "That passkey was already removed.";

async function remove({ db, now }: Deps, request: Request, id: string) {
  const removed = await passkeys.remove(db, { manager: managerFor(request).manager, id }, actorOf(request), now());
  if (removed === "needed") return seeOther(request, paths.account, neededNotice);
  const text = removed ? `Passkey “${removed.name}” removed.` : alreadyRemoved;
  return seeOther(request, paths.account, { kind: "good", text });
}
