import { z } from "zod";
import * as managers from "../../../db/access/managers";
import * as passkeys from "../../../db/access/passkeys";
import * as sessions from "../../../db/access/sessions";
import * as twoFactor from "../../../db/access/two-factor";
import * as audit from "../../../db/audit";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { plural } from "../../../views/components/list";
import { dateStyles } from "../../../views/components/time";
import { AccountPage } from "../../../views/dashboard/access/account";
import { paths } from "../../../views/paths";
import { inputsOf } from "../../fields/field";
import { ManagerFields, PasskeyFields } from "../../fields/manager";
import { isPassword } from "../../security/password";
import { actorOf, isFresh, managerFor, newDevice, sessionCookie } from "../../security/session";
import type { Deps } from "../deps";
import { readForm } from "../form-input";
import { frameOf, pages } from "../pages";
import { forOwnAccount } from "../permissions";
import { browserZone } from "../preferences";
import { seeOther, show } from "../responses";
import { busy, newPassword, startAttempt, tooOften } from "./passwords";

const path = paths.account;
const inputs = inputsOf(ManagerFields);
const { name: passkeyInput } = inputsOf(PasskeyFields);
/** The time zones that can be saved; any other is shown as “Same as the browser”. */
const zones = Intl.supportedValuesOf("timeZone");

const Name = ManagerFields.pick({ name: true });
const Times = z.object({
  timeZone: z.enum(["", ...zones], "That time zone is not known. Choose one from the list."),
  dates: z.enum(dateStyles, "Choose one of the formats."),
});

/** `/dashboard/account`: a manager's own name, password, two-step verification, passkeys and sessions. */
export const account = (deps: Deps) =>
  pages(path, deps, forOwnAccount)
    .get("/", ({ request }) => showAccount(deps, request))
    .post("/name", ({ request, body }) => changeName(deps, request, body))
    .post("/times", ({ request, body }) => changeTimes(deps, request, body))
    .post("/password", ({ request, body }) => changePassword(deps, request, body))
    .post("/sessions/:id/end", ({ request, params: { id } }) => endSession(deps, request, id))
    .post("/sessions/end-others", ({ request }) => endOtherSessions(deps, request));

async function changeName(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Name, body);
  if (errors) return showAccount(deps, request, errors);
  await managers.rename(
    deps.db,
    { manager: managerFor(request).manager, name: input.name },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, path, { kind: "good", text: "Name saved." });
}

async function changeTimes(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Times, body);
  if (errors) return showAccount(deps, request, errors);
  await managers.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen: input },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, `${path}#times`, { kind: "good", text: "Dates and times saved." });
}

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
  const { timeZone = "" } = manager.preferences;
  const times = { chosen: zones.includes(timeZone) ? timeZone : "", browser: browserZone(request) };
  const second = { isOn: manager.totpSecret !== null, codesLeft };
  const view = {
    frame,
    keys,
    devices,
    times,
    second,
    current: session.id,
    inputs,
    passkeyInput,
    isFresh: isFresh({ manager, session }, now()),
  };
  return show({ frame, title: "Your account", status }, <AccountPage {...view} errors={errors} />);
}

const { password } = ManagerFields.shape;
const Passwords = z.object({ current: password, password });

async function changePassword(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { manager } = managerFor(request);
  const { input, errors } = readForm(Passwords, body);
  if (errors) return showAccount(deps, request, errors);
  const attempt = await startAttempt(deps, request, manager.email);
  const again = (field: "current" | "password", message: string, status?: number) =>
    showAccount(deps, request, [{ field, message }], status);
  if ("wait" in attempt) return tooOften(request, attempt.wait, (message, status) => again("current", message, status));
  const isRight = await isPassword(input.current, manager.passwordHash);
  if (isRight === false) {
    attempt.failed();
    return wrongPassword(deps, request, manager);
  }
  attempt.wasRight();
  const chosen = isRight ? await newPassword(deps, input.password, [manager.email, manager.name]) : "busy";
  if (chosen === "busy") return busy(request, (message, status) => again("password", message, status));
  if ("weak" in chosen) return again("password", chosen.weak);

  const { token, device } = newDevice(deps.config, request);
  const session = await managers.changePassword(
    deps.db,
    { checked: manager, passwordHash: chosen.hash },
    device,
    deps.now(),
  );
  if (!session) return new Response(null, { status: 303, headers: { location: paths.signIn } });
  const text = "Password changed. You have been signed out of all other devices.";
  await sessions.leaveNotice(deps.db, session, { kind: "good", text });
  return new Response(null, { status: 303, headers: { location: path, "set-cookie": sessionCookie(token) } });
}

async function wrongPassword(deps: Deps, request: Request, { id, email }: managers.Manager) {
  const event = { action: "manager.refuse-password" as const, targetId: id, target: email };
  await audit.recordAlone(deps.db, { ...actorOf(request), ...event }, deps.now());
  return showAccount(deps, request, [{ field: "current", message: "That is not your current password." }]);
}

/** Signs out one of the manager's own devices. */
async function endSession({ db, now }: Deps, request: Request, id: string) {
  const ended = await sessions.endOne(db, { manager: managerFor(request).manager, id }, actorOf(request), now());
  return seeOther(request, path, {
    kind: "good",
    text: ended ? "Device signed out." : "That device was already signed out.",
  });
}

/** Signs out all of the manager's other devices. */
async function endOtherSessions({ db, now }: Deps, request: Request) {
  const { manager, session } = managerFor(request);
  const count = await sessions.endOthers(db, { manager, keep: session }, actorOf(request), now());
  const text = count ? `Signed out of ${plural(count, "other device")}.` : "You are not signed in on any other device.";
  return seeOther(request, path, { kind: "good", text });
}
