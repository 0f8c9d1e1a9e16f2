import { z } from "zod";
import { emailAddress, line, lines } from "../../http/request-schemas";

/** A setting with a field of its own. What the schema makes of a text is what is saved; a blank one removes it. */
export type SettingField = {
  key: string;
  label: string;
  hint?: string;
  type?: "text" | "email" | "url";
  rows?: number;
  maxlength: number;
  autocomplete?: string;
  schema: z.ZodType<string>;
};
export type SettingSection = { id: string; title: string; about: string; fields: SettingField[] };

const orBlank = (schema: z.ZodType<string>, message: string) =>
  line({ max: 300 }).refine((text) => !text || schema.safeParse(text).success, message);

const address = orBlank(
  z.url({ protocol: /^https?$/, hostname: z.regexes.domain }),
  "Enter the whole address, beginning with https://",
);

/** The nine keys of the contract (spec part 2), as managers see them. */
export const sections: SettingSection[] = [
  {
    id: "site",
    title: "Site",
    about: "What the site is called and about. E-mails carry the title too.",
    fields: [
      { key: "siteTitle", label: "Title", maxlength: 100, schema: line({ max: 100 }) },
      { key: "siteDescription", label: "Description", rows: 3, maxlength: 500, schema: lines({ max: 500 }) },
      {
        key: "siteKeywords",
        label: "Keywords",
        hint: "Separated by commas.",
        maxlength: 300,
        schema: line({ max: 300 }),
      },
    ],
  },
  {
    id: "owner",
    title: "Owner",
    about: "Who is behind the site. Notifications of contact messages go to the e-mail address.",
    fields: [
      { key: "name", label: "Name", maxlength: 100, autocomplete: "name", schema: line({ max: 100 }) },
      {
        key: "jobTitle",
        label: "Job title",
        maxlength: 100,
        autocomplete: "organization-title",
        schema: line({ max: 100 }),
      },
      {
        key: "email",
        label: "E-mail address",
        type: "email",
        maxlength: 200,
        autocomplete: "email",
        schema: orBlank(emailAddress, "Enter an e-mail address, such as ada@example.com"),
      },
      { key: "github", label: "GitHub", type: "url", maxlength: 300, schema: address },
      { key: "linkedin", label: "LinkedIn", type: "url", maxlength: 300, schema: address },
    ],
  },
  {
    id: "analytics",
    title: "Analytics",
    about: "Which Google Analytics property the sites report to.",
    fields: [
      {
        key: "googleAnalyticsId",
        label: "Google Analytics ID",
        hint: "Such as G-ABC123DEF4.",
        maxlength: 24,
        schema: orBlank(
          z.string().regex(/^(G|UA|AW|GT)-[A-Z0-9-]{4,20}$/),
          "Enter an ID such as G-ABC123DEF4: G, UA, AW or GT, a hyphen, then capitals and digits",
        ),
      },
    ],
  },
];
