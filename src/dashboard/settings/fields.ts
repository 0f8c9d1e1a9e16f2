import { z } from "zod";
import { isValidValue, languageKey } from "../../../db/settings/rules";
import { languageNames } from "../../../views/dashboard/settings/settings";
import type { FieldView } from "../../../views/dashboard/settings/section";
import { line, lines } from "../../platform/text/schemas";
import { emailAddress } from "../../platform/text/email-address";

/** A setting with a field of its own. The schema's result is saved; a blank text removes the setting. */
export type SettingField = Omit<FieldView, "value" | "stamp" | "theirs" | "maxlength"> & {
  schema: z.ZodType<string>;
  /** Shown if nothing is saved. */
  initial?: string;
};
export type SettingSection = { id: string; title: string; about: string; fields: SettingField[] };

const orBlank = (schema: z.ZodType<string>, message: string) =>
  line({ max: 300 }).refine((text) => !text || schema.safeParse(text).success, message);

const address = orBlank(
  z.url({ protocol: /^https?$/, hostname: z.regexes.domain }),
  "Enter a full URL, starting with https://",
);

/** The keys of the contract (spec part 2) and the language, as managers see them. */
export const sections: SettingSection[] = [
  {
    id: "site",
    title: "Site",
    about: "The name and description of your site. The title also appears in emails.",
    fields: [
      { key: "siteTitle", label: "Title", schema: line({ max: 100 }) },
      { key: "siteDescription", label: "Description", rows: 3, schema: lines({ max: 500 }) },
      {
        key: languageKey,
        label: "Language",
        hint: "What visitors and subscribers read: pages, emails and feeds. The dashboard stays in English.",
        options: Object.entries(languageNames),
        schema: line({ max: 2 }).refine((text) => isValidValue(languageKey, text), "Choose one of the languages."),
      },
      {
        key: "siteKeywords",
        label: "Keywords",
        hint: "Separated by commas.",
        schema: line({ max: 300 }),
      },
    ],
  },
  {
    id: "owner",
    title: "Owner",
    about: "The person behind the site. Contact notifications go to this email address.",
    fields: [
      { key: "name", label: "Name", autocomplete: "name", schema: line({ max: 100 }) },
      {
        key: "jobTitle",
        label: "Job title",
        autocomplete: "organization-title",
        schema: line({ max: 100 }),
      },
      {
        key: "email",
        label: "Email address",
        type: "email",
        autocomplete: "email",
        schema: orBlank(emailAddress, "Enter a valid email address, such as ada@example.com."),
      },
      { key: "github", label: "GitHub", type: "url", schema: address },
      { key: "linkedin", label: "LinkedIn", type: "url", schema: address },
    ],
  },
  {
    id: "analytics",
    title: "Analytics",
    about: "The Google Analytics property your sites report to.",
    fields: [
      {
        key: "googleAnalyticsId",
        label: "Google Analytics ID",
        hint: "Such as G-ABC123DEF4.",
        schema: orBlank(
          z.string().regex(/^(G|UA|AW|GT)-[A-Z0-9-]{4,20}$/),
          "Enter an ID such as G-ABC123DEF4: G, UA, AW or GT, a hyphen, then capital letters and digits.",
        ),
      },
    ],
  },
];
