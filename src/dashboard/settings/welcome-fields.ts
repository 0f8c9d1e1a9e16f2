import { isValidValue, maxWelcome, welcomeKeys } from "../../../db/settings/rules";
import { line, lines } from "../../platform/text/schemas";
import type { SettingSection } from "./fields";

/** The text of the welcome email. A text equal to the default is not stored, so that it follows the site's language. */
export const welcomeSection = (defaults: { subject: string; text: string }): SettingSection => ({
  id: "welcome",
  title: "Welcome email",
  about: "",
  fields: [
    {
      key: welcomeKeys.subject,
      label: "Subject",
      hint: "A subject of your own is the heading of the email too.",
      initial: defaults.subject,
      schema: line({ max: maxWelcome.subject }).transform((text) => (text === defaults.subject ? "" : text)),
    },
    {
      key: welcomeKeys.text,
      label: "Text",
      hint: 'Markdown. {name, "friend"} is the name of people who have confirmed their address, and “friend” for everyone else. The email always ends with a link to unsubscribe.',
      rows: 14,
      initial: defaults.text,
      schema: lines({ max: maxWelcome.text }).transform((text) => (text === defaults.text ? "" : text)),
    },
    {
      key: welcomeKeys.links,
      label: "Links below the text",
      options: [
        ["posts", "Recent posts"],
        ["newsletters", "Recent newsletters in the archive"],
        ["none", "None"],
      ],
      schema: line({ max: 20 }).refine((text) => isValidValue(welcomeKeys.links, text), "Choose one of the options."),
    },
  ],
});
