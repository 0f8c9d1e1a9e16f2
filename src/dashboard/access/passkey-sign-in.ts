import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import * as audit from "../../../db/audit";
import * as passkeys from "../../../db/access/passkeys";
import type { Deps } from "../deps";
import { clientNetwork } from "../../platform/client-address";
import { authenticate, authenticationOptions } from "../../security/passkeys";
import { limits as limitOf } from "../../security/limits/limits";
import { dashboardPath } from "../../security/session/rules";
import { newDevice } from "../../security/cookies";
import { contextOf } from "../../platform/request-context";
import { completeSignIn, signedOutPages } from "./signed-out-pages";

export const Credential = z.looseObject({
  id: z.string().max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal("public-key"),
  response: z.looseObject({ clientDataJSON: z.string() }),
  clientExtensionResults: z.looseObject({}).default({}),
});
const SignIn = z.object({ response: Credential, next: z.string().optional() });

export const json = (content: unknown, status = 200) =>
  Response.json(content, { status, headers: { "cache-control": "no-store" } });
export const refuse = (message: string, status = 422) => json({ message }, status);

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
  const proven = input && (await authenticate(deps, input.response as unknown as AuthenticationResponseJSON));
  const { token, device } = newDevice(config, request, proven?.manager.email);
  const present = proven && (await passkeys.signIn(db, { id: proven.id, counter: proven.counter }, device, now()));
  if (!input || !present) {
    const from = { actor: "visitor", address: device.address };
    await audit.note(db, { ...from, action: "session.refuse", details: { method: "passkey" } }, now());
    return refuse("This passkey is not registered. Sign in with your password.");
  }
  const location = dashboardPath(input.next);
  const { headers } = completeSignIn(deps, request, { token, email: present.manager.email }, location);
  headers.delete("location");
  return Response.json({ location }, { headers });
}
