import { z } from "zod";
import * as audit from "../../../db/audit";
import * as managers from "../../../db/access/managers";
import * as passkeys from "../../../db/access/passkeys";
import * as twoFactor from "../../../db/access/two-factor";
import * as sessions from "../../../db/access/sessions";
import { dateStyles } from "../../../views/components/time";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { AccountPage } from "../../../views/dashboard/access/account";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/text/schemas";
import { isPassword } from "../../security/password/password";
import { actorOf, managerFor } from "../../security/session/session";
import { isFresh } from "../../security/session/rules";
import { newDevice, sessionCookie } from "../../security/session/cookie";
import { contextOf } from "../../http/request-context";
import { seeOther, show } from "../responses";
import { attempt, inWords } from "./attempts";
import { endOtherSessions, endSession } from "./devices";
import { readForm } from "../form-input";
import { busyText, newPassword } from "./new-password";
import { frameOf, pages } from "../pages";
import { browserZone, isTimeZone } from "../preferences";
import { paths } from "../../../views/paths";

const path = paths.account;

const Name = z.object({ name: line({ min: 1, max: 100 }) });
const isZone = (zone: string) => zone === "" || (zone.length <= 64 && isTimeZone(zone));
const Times = z.object({
  timeZone: z.string().refine(isZone, "That time zone is not known. Choose one from the list."),
  dates: z.enum(dateStyles, "Choose one of the formats."),
});
const zones = Intl.supportedValuesOf("timeZone");
const password = z.string({ error: "is required" }).max(2_000, "must be at most 2000 characters long");
const Passwords = z.object({ current: password, password });

/** `/dashboard/account`: a manager's own name, password, second step, passkeys and sessions. */
export const account = (deps: Deps) =>
  pages(path, deps, { isForEverybody: true })
    .get("/", ({ request }) => showAccount(deps, request))
    .post("/name", ({ request, body }) => changeName(deps, request, body))
    .post("/times", ({ request, body }) => changeTimes(deps, request, body))
    .post("/password", ({ request, body }) => changePassword(deps, request, body))
    .post("/sessions/:id/end", ({ request, params: { id } }) => endSession(deps, request, id))
    .post("/sessions/end-others", ({ request }) => endOtherSessions(deps, request));

async function showAccount(
  deps: Deps,
  request: Request,
  errors: FieldError[] = [],
  status = errors.length ? 422 : 200,
) {
  const { db, now } = deps;
  const { manager, session } = managerFor(request);
  const [frame, keys, devices, codesLeft] = await Promise.all([
    frameOf(deps, request),
    passkeys.list(db, manager.id),
    sessions.list(db, manager.id, now()),
    twoFactor.codesLeft(db, manager.id),
  ]);
  const times = { chosen: manager.preferences.timeZone ?? "", browser: browserZone(request), all: zones };
  const second = { isOn: manager.totpSecret !== null, codesLeft };
  const view = {
    frame,
    keys,
    devices,
    times,
    second,
    current: session.id,
    isFresh: isFresh({ manager, session }, now()),
  };
  return show({ frame, title: "Your account", status }, <AccountPage {...view} errors={errors} />);
}

async function changeName(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Name, body);
  if (errors) return showAccount(deps, request, errors);
  await managers.rename(deps.db, managerFor(request).manager, input.name, actorOf(request), deps.now());
  return seeOther(request, path, { kind: "good", text: "Name saved." });
}

async function changeTimes(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Times, body);
  if (errors) return showAccount(deps, request, errors);
  await managers.setPreferences(deps.db, managerFor(request).manager, input, actorOf(request), deps.now());
  return seeOther(request, `${path}#times`, { kind: "good", text: "Dates and times saved." });
}

async function changePassword(deps: Deps, request: Request, body: unknown): Promise<Response> {
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
  const session = await managers.changePassword(deps.db, manager, chosen.hash, device, deps.now());
  if (!session) return new Response(null, { status: 303, headers: { location: paths.signIn } });
  const text = "Password changed. You have been signed out of all other devices.";
  await sessions.leaveNotice(deps.db, session, { kind: "good", text });
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
