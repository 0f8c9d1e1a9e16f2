import { Elysia } from "elysia";
import * as settings from "../../db/settings/settings";
import type { Deps } from "./deps";
import { notModified, success } from "../openapi/responses";
import { needs } from "../openapi/scopes";
import type { PreparedResponses } from "./prepared-responses";

/** The public settings of the site (spec 4.6, D27). */
export const readSettings = ({ db }: Pick<Deps, "db">, { respond }: PreparedResponses) =>
  new Elysia().get(
    "/settings",
    ({ request }) =>
      respond("settings", request, async (updatedAt) => {
        const values = await settings.readPublic(db);
        return { data: { count: Object.keys(values).length, settings: values, updatedAt } };
      }),
    {
      detail: {
        operationId: "getSettings",
        security: needs("settings:read"),
        summary: "Read the public settings",
        description:
          "The nine standard keys, the language of the site once it is chosen, and keys a manager has made public. Never secrets.",
        responses: { 200: success("Settings", "Keys and their values."), ...notModified },
      },
    },
  );
