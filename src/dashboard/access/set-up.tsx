import * as signInLinks from "../../../db/access/sign-in-links";
import type { Role } from "../../../views/components/roles";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { DeadLinkPage, ResetPage, SetUpPage } from "../../../views/dashboard/access/set-up";
import type { Deps } from "../deps";
import { readSite } from "../../emails/site";
import { inputsOf } from "../../fields/field";
import { ManagerFields } from "../../fields/manager";
import { keptPages } from "../../http/prepared";
import { page } from "../../http/response";
import { sha256 } from "../../security/secrets";
import { newDevice } from "../../security/session";
import { completeSignIn, signedOutPages } from "./signed-out-pages";
import { readForm, sentFields, typed } from "../form-input";
import { busy, newPassword } from "./passwords";
import { paths } from "../../../views/paths";

const Reset = ManagerFields.pick({ password: true });
const inputs = inputsOf(ManagerFields);

/** `/dashboard/setup` and `/dashboard/reset`: where one-time links lead (D36). Opening a link does not use it up. */
export const setUp = (deps: Deps) =>
  signedOutPages(deps)
    .get("/setup", ({ request, query }) => showSetUp(deps, request, String(query.token ?? "")))
    .post("/setup", ({ request, body }) => enter(deps, request, body))
    .get("/reset", ({ request, query }) => showReset(deps, request, String(query.token ?? "")))
    .post("/reset", ({ request, body }) => reset(deps, request, body));

const deadPage = keptPages();
const deadLink = (request: Request) => deadPage(request, "", 410, () => <DeadLinkPage />);

/** The role of whoever uses a link: the first manager is an owner. */
const roleOf = (link: { purpose: "setup" } | { purpose: "invite"; role: Role }) =>
  link.purpose === "invite" ? link.role : "owner";

async function showSetUp(deps: Deps, request: Request, token: string) {
  const link = await signInLinks.find(deps.db, sha256(token), deps.now());
  if (!link || link.purpose === "reset") return deadLink(request);
  const { siteTitle } = await readSite(deps);
  const form = { token, purpose: link.purpose, role: roleOf(link), siteTitle, name: "" };
  return page(<SetUpPage inputs={inputs} {...form} email={link.purpose === "invite" ? link.email : ""} />);
}

async function showReset({ db, now }: Deps, request: Request, token: string) {
  const link = await signInLinks.find(db, sha256(token), now());
  return link?.purpose === "reset"
    ? page(<ResetPage input={inputs.password} token={token} email={link.email} />)
    : deadLink(request);
}

async function enter(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { db, now } = deps;
  const token = typed(body, "token");
  const hash = sha256(token);
  const link = await signInLinks.find(db, hash, now());
  if (!link || link.purpose === "reset") return deadLink(request);

  const form = { token, purpose: link.purpose, role: roleOf(link), name: typed(body, "name") };
  const address = link.purpose === "invite" ? link.email : typed(body, "email");
  const again = async (status: number, view: { errors?: FieldError[]; problem?: string }) => {
    const { siteTitle } = await readSite(deps);
    return page(<SetUpPage inputs={inputs} {...form} siteTitle={siteTitle} email={address} {...view} />, status);
  };

  const { input, errors } = readForm(ManagerFields, { ...sentFields(body), email: address });
  if (errors) return again(422, { errors });
  const chosen = await newPassword(deps, input.password, [input.email, input.name]);
  if (chosen === "busy") return busy(request, (problem, status) => again(status, { problem }));
  if ("weak" in chosen) return again(422, { errors: [{ field: "password", message: chosen.weak }] });

  const session = newDevice(deps.config, request);
  const person = { email: input.email, name: input.name, passwordHash: chosen.hash };
  const entered = await signInLinks.signUp(
    db,
    { link: { hash, purpose: link.purpose }, person },
    session.device,
    now(),
  );
  return entered
    ? completeSignIn(deps, request, { token: session.token, email: entered.manager.email }, paths.overview)
    : deadLink(request);
}

async function reset(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { db, now } = deps;
  const token = typed(body, "token");
  const hash = sha256(token);
  const link = await signInLinks.find(db, hash, now());
  if (link?.purpose !== "reset") return deadLink(request);

  const again = (status: number, view: { errors?: FieldError[]; problem?: string }) =>
    page(<ResetPage input={inputs.password} token={token} email={link.email} {...view} />, status);
  const { input, errors } = readForm(Reset, body);
  if (errors) return again(422, { errors });
  const chosen = await newPassword(deps, input.password, [link.email]);
  if (chosen === "busy") return busy(request, (problem, status) => again(status, { problem }));
  if ("weak" in chosen) return again(422, { errors: [{ field: "password", message: chosen.weak }] });

  const session = newDevice(deps.config, request, link.email);
  const entered = await signInLinks.reset(db, { hash, passwordHash: chosen.hash }, session.device, now());
  return entered
    ? completeSignIn(deps, request, { token: session.token, email: link.email }, paths.overview)
    : deadLink(request);
}
