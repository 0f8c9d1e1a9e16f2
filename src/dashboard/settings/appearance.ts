import { z } from "zod";
import * as ownAccount from "../../../db/access/own-account";
import { path } from "../../../views/dashboard/settings/section";
import { themes } from "../../../views/components/frame";
import type { Deps } from "../deps";
import { actorOf, managerFor } from "../../security/session/session";
import { seeOther, urlBefore } from "../responses";

/** An invalid value becomes the first option. */
const Preferences = z.object({
  theme: z.enum(themes).catch("system"),
  density: z.enum(["compact", "comfortable"]).catch("compact"),
  shortcuts: z.enum(["on", "off"]).catch("on"),
  firstSteps: z.enum(["shown", "hidden"]).catch("shown"),
});
export const Fields = z.record(z.string(), z.string()).catch({});

export async function saveAppearance(deps: Deps, request: Request, body: unknown) {
  const chosen = Preferences.parse(Fields.parse(body));
  await ownAccount.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, `${path}#appearance`, { kind: "good", text: "Appearance saved." });
}

/**
 * One of the palette's actions: reloads the page it was chosen on in the other theme. Changing it in place would need a
 * script that knows the themes, for something done once a month.
 */
export async function changeTheme(deps: Deps, request: Request, chosen: string) {
  const theme = Preferences.shape.theme.parse(chosen);
  await ownAccount.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen: { theme } },
    actorOf(request),
    deps.now(),
  );
  const { pathname, search } = urlBefore(request);
  return seeOther(request, pathname + search, { kind: "good", text: `Theme changed to ${theme}.` });
}
