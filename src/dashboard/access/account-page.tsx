import * as passkeys from "../../../db/access/passkeys";
import * as twoFactor from "../../../db/access/two-factor";
import * as sessions from "../../../db/access/sessions";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { AccountPage } from "../../../views/dashboard/access/account";
import { paths } from "../../../views/paths";
import { inputsOf } from "../../fields/field";
import { ManagerFields, PasskeyFields } from "../../fields/manager";
import type { Deps } from "../deps";
import { managerFor } from "../../security/session/session";
import { isFresh } from "../../security/session/rules";
import { show } from "../responses";
import { frameOf } from "../pages";
import { browserZone } from "../preferences";

export const path = paths.account;
const inputs = inputsOf(ManagerFields);
const { name: passkeyInput } = inputsOf(PasskeyFields);
/** The time zones offered; any other is shown as “Same as the browser”. */
export const zones = Intl.supportedValuesOf("timeZone");

export async function showAccount(
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
    inputs,
    passkeyInput,
    isFresh: isFresh({ manager, session }, now()),
  };
  return show({ frame, title: "Your account", status }, <AccountPage {...view} errors={errors} />);
}
