import { z } from "zod";
import * as audit from "../../../db/audit";
import * as managers from "../../../db/access/managers";
import * as ownAccount from "../../../db/access/own-account";
import * as sessionNotices from "../../../db/access/sessions";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { ManagerFields } from "../../fields/manager";
import { isPassword } from "../../security/password/password";
import { actorOf, managerFor } from "../../security/session/session";
import { newDevice, sessionCookie } from "../../security/cookies";
import { contextOf } from "../../platform/request-context";
import { readForm } from "../form-input";
import { attempt, inWords } from "./attempts";
import { busyText, newPassword } from "./new-password";
import { path, showAccount } from "./account-page";

const { password } = ManagerFields.shape;
const Passwords = z.object({ current: password, password });

export async function changePassword(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { manager } = managerFor(request);
  const { input, errors } = readForm(Passwords, body);
  if (errors) return showAccount(deps, request, errors);
  const tried = await attempt(deps, request, manager.email);
  if ("wait" in tried) return tooManyAttempts(deps, request, tried.wait);
  const isRight = await isPassword(input.current, manager.passwordHash);
  if (isRight === false) {
    tried.failed();
    return wrongPassword(deps, request, manager);
  }
  tried.wasRight();
  const chosen = isRight ? await newPassword(deps, input.password, [manager.email, manager.name]) : "busy";
  if (chosen === "busy") return showAccount(deps, request, [{ field: "password", message: busyText }], 503);
  if ("weak" in chosen) return showAccount(deps, request, [{ field: "password", message: chosen.weak }]);

  const { token, device } = newDevice(deps.config, request);
  const session = await ownAccount.changePassword(
    deps.db,
    { checked: manager, passwordHash: chosen.hash },
    device,
    deps.now(),
  );
  if (!session) return new Response(null, { status: 303, headers: { location: paths.signIn } });
  const text = "Password changed. You have been signed out of all other devices.";
  await sessionNotices.leaveNotice(deps.db, session, { kind: "good", text });
  return new Response(null, { status: 303, headers: { location: path, "set-cookie": sessionCookie(token) } });
}

function tooManyAttempts(deps: Deps, request: Request, waitSeconds: number) {
  contextOf(request).headers["retry-after"] = String(waitSeconds);
  const message = `Too many failed attempts. Try again ${inWords(waitSeconds)}.`;
  return showAccount(deps, request, [{ field: "current", message }], 429);
}

async function wrongPassword(deps: Deps, request: Request, { id, email }: managers.Manager) {
  const event = { action: "manager.refuse-password" as const, targetId: id, target: email };
  await audit.note(deps.db, { ...actorOf(request), ...event }, deps.now());
  return showAccount(deps, request, [{ field: "current", message: "That is not your current password." }]);
}
