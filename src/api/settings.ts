import { Elysia } from "elysia";
import * as settings from "../../db/settings/settings";
import type { Deps } from "../boot/deps";
import { notModified, success } from "../openapi/responses";
import type { PreparedAnswers } from "./prepared-answers";

/** The public settings of the site (spec 4.6, D27). */
export const readSettings = ({ db }: Pick<Deps, "db">, { answer }: PreparedAnswers) =>
  new Elysia().get(
    "/settings",
    ({ request }) =>
      answer("settings", request, async (updatedAt) => {
        const values = await settings.readPublic(db);
        return { data: { count: Object.keys(values).length, settings: values, updatedAt } };
      }),
    {
      detail: {
        summary: "Read the public settings",
        description: "The nine named ones and those that a manager made public. Never a secret.",
        responses: { 200: success("SettingsAnswer", "Keys and their values."), ...notModified },
      },
    },
  );
