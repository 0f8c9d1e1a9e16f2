import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import * as audit from "../../../db/audit";
import * as passkeys from "../../../db/access/passkeys";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/request-schemas";
import { clientNetwork } from "../../security/client";
import { authenticate, authenticationOptions, register, registrationOptions } from "../../security/passkeys";
import { limits as limitOf } from "../../security/rate-limit";
import { actorOf, dashboardPath, isFresh, managerFor, newDevice } from "../../security/session";
import { visitOf } from "../../http/request-context";
import { seeOther } from "../responses";
import { door, letIn } from "./signed-out-pages";
import { leaveNotice } from "../notices";
import { pages } from "../pages";
import { neededNotice } from "./two-factor";
import { paths } from "../../../views/paths";

const Credential = z.looseObject({
  id: z.string().max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal("public-key"),
  response: z.looseObject({ clientDataJSON: z.string() }),
  clientExtensionResults: z.looseObject({}).default({}),
});
const SignIn = z.object({ response: Credential, next: z.string().optional() });
const Add = z.object({ response: Credential, name: line({ min: 1, max: 60 }) });

const json = (content: unknown, status = 200) =>
  Response.json(content, { status, headers: { "cache-control": "no-store" } });
const refuse = (message: string, status = 422) => json({ message }, status);

/** Signing in by fingerprint or security key. It proves possession and person at once, so no second step follows. */
export const passkeySignIn = (deps: Deps) => {
  const { db, limits, now } = deps;
  const tooMany = (request: Request) =>
    limits.take(limitOf.passkey, clientNetwork(visitOf(request).address)).admitted
      ? undefined
      : refuse("There were too many attempts. Try again in some minutes, or use your password.", 429);

  return door(deps)
    .post(
      "/sign-in/passkey/challenge",
      async ({ request }) => tooMany(request) ?? json(await authenticationOptions(deps)),
    )
    .post("/sign-in/passkey", async ({ request, body }) => {
      const refused = tooMany(request);
      if (refused) return refused;
      const { data: given } = SignIn.safeParse(body);
      const proven = given && (await authenticate(deps, given.response as unknown as AuthenticationResponseJSON));
      const { token, device } = newDevice(deps.config, request, proven?.manager.email);
      const present = proven && (await passkeys.signIn(db, proven.id, proven.counter, device, now()));
      if (!given || !present) {
        const from = { actor: "visitor", address: device.address };
        await audit.note(db, { ...from, action: "session.refuse", details: { method: "passkey" } }, now());
        return refuse("That passkey is not known here. Use your password.");
      }
      const location = dashboardPath(given.next);
      const { headers } = letIn(deps, request, { token, email: present.manager.email }, location);
      headers.delete("location");
      return Response.json({ location }, { headers });
    });
};

/** A manager's own passkeys: `/dashboard/account/passkeys`. */
export const passkeyDesk = (deps: Deps) => {
  const { db, now } = deps;
  return pages(paths.passkeys, deps, { isForEverybody: true })
    .post("/challenge", async ({ request }) =>
      isFresh(managerFor(request), now())
        ? json(await registrationOptions(deps, managerFor(request)))
        : refuse("Reload the page and type your password first.", 403),
    )
    .post("/", async ({ request, body }) => {
      const present = managerFor(request);
      if (!isFresh(present, now())) return refuse("Reload the page and type your password first.", 403);
      const { data: given } = Add.safeParse(body);
      if (!given) return refuse("Give the passkey a name of 1 to 60 characters.");
      const made = await register(deps, present, given.response as unknown as RegistrationResponseJSON);
      const added = made && (await passkeys.add(db, { ...made, name: given.name }, actorOf(request), now()));
      if (!added) return refuse("That passkey could not be added. Try again.");
      leaveNotice(present.session.id, { kind: "good", text: `“${given.name}” can sign you in from now on.` });
      return json({ location: paths.account }, 201);
    })
    .post("/:id/remove", async ({ request, params }) => {
      const removed = await passkeys.remove(db, managerFor(request).manager, params.id, actorOf(request), now());
      if (removed === "needed") return seeOther(request, paths.account, neededNotice);
      const text = removed ? `“${removed.name}” no longer signs you in.` : "That passkey was removed already.";
      return seeOther(request, paths.account, { kind: "good", text });
    });
};
