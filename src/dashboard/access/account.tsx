import { z } from "zod";
import * as audit from "../../../db/audit";
import * as managers from "../../../db/access/managers";
import * as passkeys from "../../../db/access/passkeys";
import * as secondStep from "../../../db/access/two-factor";
import * as sessions from "../../../db/access/sessions";
import type { FieldError } from "../../../views/components/form";
import { AccountPage } from "../../../views/dashboard/access/account";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/request-schemas";
import { isPassword } from "../../security/password";
import { actorOf, isFresh, managerFor, newDevice, sessionCookie } from "../../security/session";
import { visitOf } from "../../http/request-context";
import { seeOther, show } from "../responses";
import { attempt, inWords } from "./attempts";
import { readForm } from "../form-input";
import { busyText, newPassword } from "./new-password";
import { leaveNotice } from "../notices";
import { frameOf, pages } from "../pages";
import { paths } from "../../../views/paths";

const path = paths.account;

const Name = z.object({ name: line({ min: 1, max: 100 }) });
const Passwords = z.object({ current: z.string().max(2_000), password: z.string().max(2_000) });

/** `/dashboard/account`: a manager's own name, password, second step, passkeys and sessions. */
export const account = (deps: Deps) => {
  const { db, now } = deps;

  async function answer(request: Request, errors: FieldError[] = [], status = errors.length ? 422 : 200) {
    const { manager, session } = managerFor(request);
    const [frame, keys, devices, codesLeft] = await Promise.all([
      frameOf(deps, request),
      passkeys.list(db, manager.id),
      sessions.list(db, manager.id, now()),
      secondStep.codesLeft(db, manager.id),
    ]);
    const second = { isOn: manager.totpSecret !== null, codesLeft };
    const view = { frame, keys, devices, second, current: session.id, isFresh: isFresh({ manager, session }, now()) };
    return show({ frame, title: "Your account", status }, <AccountPage {...view} errors={errors} />);
  }

  async function changePassword(request: Request, body: unknown): Promise<Response> {
    const { manager } = managerFor(request);
    const { input, errors } = readForm(Passwords, body);
    if (errors) return answer(request, errors);
    const tried = attempt(deps, request, manager.email);
    if ("wait" in tried) return tooOften(request, tried.wait);
    const isRight = await isPassword(input.current, manager.passwordHash);
    if (isRight === false) {
      tried.failed();
      const event = { action: "manager.refuse-password" as const, targetId: manager.id, target: manager.email };
      await audit.note(db, { ...actorOf(request), ...event }, now());
      return answer(request, [{ field: "current", message: "is not your password" }]);
    }
    tried.wasRight();
    const chosen = isRight ? await newPassword(deps, input.password, [manager.email, manager.name]) : "busy";
    if (chosen === "busy") return answer(request, [{ field: "password", message: busyText }], 503);
    if ("weak" in chosen) return answer(request, [{ field: "password", message: chosen.weak }]);

    const { token, device } = newDevice(deps.config, request);
    const session = await managers.changePassword(db, manager, chosen.hash, device, now());
    leaveNotice(session.id, { kind: "good", text: "Your password is changed. You are signed out everywhere else." });
    return new Response(null, { status: 303, headers: { location: path, "set-cookie": sessionCookie(token) } });
  }

  function tooOften(request: Request, wait: number) {
    visitOf(request).headers["retry-after"] = String(wait);
    const message = `was wrong too many times. Try again ${inWords(wait)}.`;
    return answer(request, [{ field: "current", message }], 429);
  }

  return pages(path, deps, { isForEverybody: true })
    .get("/", ({ request }) => answer(request))
    .post("/name", async ({ request, body }) => {
      const { input, errors } = readForm(Name, body);
      if (errors) return answer(request, errors);
      await managers.rename(db, managerFor(request).manager, input.name, actorOf(request), now());
      return seeOther(request, path, { kind: "good", text: "Your name is saved." });
    })
    .post("/password", ({ request, body }) => changePassword(request, body))
    .post("/sessions/:id/end", async ({ request, params }) => {
      const ended = await sessions.endOne(db, managerFor(request).manager, params.id, actorOf(request), now());
      return seeOther(request, path, {
        kind: "good",
        text: ended ? "That device is signed out." : "That device was signed out already.",
      });
    })
    .post("/sessions/end-others", async ({ request }) => {
      const { manager, session } = managerFor(request);
      const count = await sessions.endOthers(db, manager, session, actorOf(request), now());
      const text = count
        ? `Signed out on ${count} other ${count === 1 ? "device" : "devices"}.`
        : "There are no others.";
      return seeOther(request, path, { kind: "good", text });
    });
};
