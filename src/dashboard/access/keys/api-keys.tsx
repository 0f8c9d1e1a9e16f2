import type { Deps } from "../../deps";
import { requireFresh } from "../../../security/session/require-manager";
import { pages } from "../../pages";
import { forManagers } from "../../permissions";
import { path, show } from "./list";
import { askToReplace, extendKey, replaceKey } from "./replace";
import { askName, generate } from "./generate";
import { showKey } from "./key";
import { askToDeactivate, deactivate } from "./deactivate";

/** `/dashboard/api-keys`: generates, shows once, replaces and deactivates API keys. */
export const apiKeysDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => requireFresh(request, deps.now()) ?? askName(deps, request))
    .post("/", ({ request, body }) => requireFresh(request, deps.now()) ?? generate(deps, request, body))
    .get("/:id", ({ request, params: { id } }) => showKey(deps, request, id))
    .get(
      "/:id/replace",
      ({ request, params: { id } }) => requireFresh(request, deps.now()) ?? askToReplace(deps, request, id),
    )
    .post(
      "/:id/replace",
      ({ request, params: { id }, body }) => requireFresh(request, deps.now()) ?? replaceKey(deps, request, id, body),
    )
    .post(
      "/:id/extend",
      ({ request, params: { id } }) => requireFresh(request, deps.now()) ?? extendKey(deps, request, id),
    )
    .get("/:id/deactivate", ({ request, params: { id } }) => askToDeactivate(deps, request, id))
    .post("/:id/deactivate", ({ request, params: { id } }) => deactivate(deps, request, id));
