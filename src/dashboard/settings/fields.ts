import { z } from "zod";
import { type HourlyLimit, hourlyLimits, maxHourlyLimit, parseHourlyLimit } from "../../../db/limits/hourly-limits";
import {
  brandKeys,
  doubleOptInKey,
  isValidValue,
  languageKey,
  maxLengthOf,
  postalAddressKey,
  postUrlKey,
  timeZoneKey,
} from "../../../db/settings/rules";
import { zoneOptions } from "../../../views/components/time";
import { languageNames } from "../../../views/languages/names";
import type { FieldView } from "../../../views/dashboard/settings/section";
import { emailAddress } from "../../platform/text/email-address";
import { line, lines } from "../../platform/text/schemas";

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

/** The settings with fields of their own, as managers see them, but those of the newsletter and the limits below. */
export const sections: SettingSection[] = [
  {
    id: "site",
    title: "Site details",
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
        key: timeZoneKey,
        label: "Time zone",
        hint: "The days of segments and of scheduled posts begin there.",
        /** Listed when asked for: hundreds of names, which no start needs. */
        get options() {
          return [["UTC", "UTC"] as const, ...zoneOptions().filter(([zone]) => zone !== "UTC")];
        },
        schema: line({ max: 60 }).refine(
          (text) => isValidValue(timeZoneKey, text),
          "Enter the name of a time zone, such as Europe/Lisbon.",
        ),
      },
      {
        key: postUrlKey,
        label: "URL of a post",
        help: "postUrl",
        hint: "Such as https://blog.example/posts/{slug}. “View live”, preview links, feeds and newsletters lead there.",
        schema: line({ max: 300 }).refine(
          (text) => isValidValue(postUrlKey, text),
          "Enter a full URL that contains {slug} once, such as https://blog.example/posts/{slug}.",
        ),
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
    id: "brand",
    title: "Brand details",
    about: "How emails to subscribers and the pages for visitors look, and who writes them.",
    fields: [
      {
        key: brandKeys.accent,
        label: "Accent colour",
        isColor: true,
        hint: "Such as #095d6c. For the rule at the top, buttons and links; links become lighter or darker until they can be read.",
        schema: line({ max: 7 })
          .transform((text) => text.toLowerCase())
          .refine((text) => isValidValue(brandKeys.accent, text), "Enter a colour as # and six digits or letters a–f."),
      },
      {
        key: brandKeys.logo,
        label: "Logo",
        hint: "A picture in Storage, at most 240 × 64 pixels where it is shown: above emails instead of the title, and above the pages for visitors. In dark mode, it stays on a light background.",
        isPicture: true,
        schema: line({ max: maxLengthOf(brandKeys.logo) }).refine(
          (text) => isValidValue(brandKeys.logo, text),
          "Choose a picture in Storage. Its path starts with /media/",
        ),
      },
      {
        key: brandKeys.author,
        label: "Author",
        hint: "Beside the date of each newsletter.",
        schema: line({ max: 100 }),
      },
      {
        key: brandKeys.footer,
        label: "Footer line",
        hint: "At the end of every email to subscribers, such as “Written in Ballstad, sent on Sundays.”",
        schema: line({ max: 300 }),
      },
      {
        key: brandKeys.replies,
        label: "Replies to newsletters",
        options: [
          ["true", "Reach your email address"],
          ["false", "Are not read, and newsletters say so"],
        ],
        schema: line({ max: 5 }).refine((text) => isValidValue(brandKeys.replies, text), "Choose one of the two."),
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

/** What every newsletter needs, and how people subscribe. */
export const newsletter: SettingSection = {
  id: "newsletter",
  title: "Subscribing",
  about: "How people get on the list, and the address that laws ask for.",
  fields: [
    {
      key: doubleOptInKey,
      label: "Confirmation",
      help: "doubleOptIn",
      options: [
        ["false", "People are subscribed immediately"],
        ["true", "People confirm by email first (double opt-in)"],
      ],
      schema: line({ max: 5 }).refine((text) => isValidValue(doubleOptInKey, text), "Choose one of the two."),
    },
    {
      key: postalAddressKey,
      label: "Postal address",
      hint: "At the end of every email to subscribers. Many countries require one.",
      rows: 3,
      schema: lines({ max: 2_000 }),
    },
  ],
};

const count = (n: number) => n.toLocaleString("en-GB");

const limitField = (key: HourlyLimit, label: string, consequence: string): SettingField => ({
  key,
  label,
  hint: hourlyLimits[key] ? `${consequence} Enter 0 for no limit.` : consequence,
  inputmode: "numeric",
  placeholder: hourlyLimits[key] ? count(hourlyLimits[key]) : "No limit",
  unit: "an hour",
  schema: line({ max: 6 })
    .transform((text) => text.replace(",", ""))
    .refine(
      (text) => !text || parseHourlyLimit(text) !== undefined,
      `Enter a whole number from 0 to ${count(maxHourlyLimit)}.`,
    ),
});

/**
 * Limits on what strangers can cause in an hour (docs/decisions/limits.md), and on broadcasts. No API key can read
 * them.
 */
export const limits: SettingSection = {
  id: "limits",
  title: "Limits per hour",
  about:
    "Hourly caps on what visitors can trigger, and on sending. They count for all visitors together and protect others when someone floods your forms.",
  fields: [
    limitField(
      "emailsToStrangersPerHour",
      "Emails to new subscribers",
      "Further emails wait in the outbox and are sent later. Emails to you and your managers never wait.",
    ),
    limitField(
      "messagesPerHourBeforeQuarantine",
      "Messages before quarantine",
      "Further messages are stored in Quarantine, and one summary replaces their notifications.",
    ),
    limitField(
      "newSubscribersPerHour",
      "New subscribers",
      "Further visitors receive an error and are asked to try again later (429).",
    ),
    limitField(
      "storedMessagesPerHour",
      "Stored messages",
      "Further messages are not stored, and their senders are asked to try again later (429).",
    ),
    limitField(
      "broadcastEmailsPerHour",
      "Broadcast emails",
      "For all broadcasts together. Further emails are sent later. Useful for a new sender address, or a mail server with its own limit.",
    ),
  ],
};

/** Whether the setting has a field of its own on a page. */
export const hasField = (key: string): boolean =>
  [...sections, newsletter, limits].some(({ fields }) => fields.some((field) => field.key === key));
