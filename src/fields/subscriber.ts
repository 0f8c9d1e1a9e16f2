import { z } from "zod";
import { normalized, splitNames } from "../../db/lib/text";
import { isTimeZone, knownZone, maxZoneLength } from "../../db/lib/time";
import { maxTagsOfPerson } from "../../db/newsletter/tags";
import { maxTopics } from "../../db/newsletter/topics";
import { emailAddress } from "../platform/text/email-address";
import { nullAsAbsent, optional } from "../http/request-schemas";
import { line } from "../platform/text/schemas";
import { languageNames, sameAsSite } from "../../views/languages/names";
import { csvColumn, field, inputsOf } from "./field";
import { type Language, languages } from "../../db/settings/rules";

const words = (text: string) => text.split(/\s+/);

/** One that the product does not have is none, because a form may offer more of them. */
const language = optional(line({ max: 35 }))
  .transform((text) => (text === undefined ? undefined : languageIn(text)))
  .meta({
    type: ["string", "null"],
    description:
      "In which the person reads emails and pages: `en`, `de`, `fr`, `es`, `pt` or `nl`, also with a region, such as `es-MX`. Others are ignored. Without it, the site’s.",
  });

export const zoneName = line({ max: maxZoneLength });

/** One that this machine does not know is none: browsers and forms may know other ones. */
const timeZone = optional(zoneName)
  .transform(knownZone)
  .meta({
    type: ["string", "null"],
    description:
      "Where the person lives, such as `Europe/Madrid`; in a browser, `Intl.DateTimeFormat().resolvedOptions().timeZone`. Emails of sequences that come at an hour of the day come at that hour there. Others are ignored. Without it, the site’s.",
  });

const maxTopicSlug = 100;

/** By their names in links. Unknown ones are ignored, because forms grow old. */
const slugs = z
  .array(
    z.string("must be a string").max(maxTopicSlug, `must be at most ${maxTopicSlug} characters long`),
    "must be a list",
  )
  .max(maxTopics, `must have at most ${maxTopics} entries`);
const aboutTopics = {
  description:
    "What the person chose to read, by the topics’ names in links. Unknown ones are ignored. Without it, the topics for everyone new; an empty list is none.",
};
/** The topics that someone chose, in JSON. */
export const topics = nullAsAbsent(slugs, "array")
  .transform((names) => names?.filter((slug) => slug !== ""))
  .meta({ ...aboutTopics, type: ["array", "null"] });
/** The same in a form: a list there may be absent, but not null. */
export const topicList = slugs.optional().meta(aboutTopics);

/** The longest name of a person. */
export const maxName = 100;

/**
 * What visitors say about themselves: in the API, the archive's form and files. The names in files are our own, those of
 * Mailchimp, Substack, Ghost, listmonk, Buttondown, beehiiv, Kit, Keila and MailerLite, and the words for them in the
 * languages of the product.
 */
export const SubscriberFields = z.object({
  email: field(emailAddress, {
    label: "Email address",
    type: "email",
    csv: words(`email emailaddress subscriberemail mail emailadresse mailadresse adressemail adresseemail courriel
      correo correoelectronico enderecodeemail emailadres`),
  }),
  name: field(optional(line({ max: maxName })), {
    label: "Name (optional)",
    csv: words("name fullname displayname subscribername nomcomplet nombrecompleto nomecompleto volledigenaam"),
  }),
  source: field(optional(line({ max: 100 })), {
    label: "Source",
    hint: "How this person found you, for your own statistics.",
    csv: words("source signupsource subscribersource optinsource quelle"),
  }),
  language: field(language, {
    label: "Language",
    options: [["", sameAsSite], ...Object.entries(languageNames)],
    csv: words(`language lang locale preferredlanguage languagecode sprache langue idioma lingua taal`),
  }),
  timeZone: field(timeZone, {
    label: "Time zone (optional)",
    csv: words("timezone zeitzone fuseauhoraire zonahoraria fusohorario tijdzone"),
  }),
});

/** The form of the archive. */
export const { email: emailInput } = inputsOf(SubscriberFields);

/** What managers may say of a subscriber. A field that visitors may not send is added here, not to `SubscriberFields`. */
export const ManagedSubscriberFields = SubscriberFields.extend({
  timeZone: field(
    optional(zoneName)
      .refine((text) => text === undefined || isTimeZone(text), "Enter the name of a time zone, such as Europe/Lisbon.")
      .transform(knownZone),
    {
      label: "Time zone",
      hint: "Emails of sequences that come at an hour come at that hour there.",
      csv: csvColumn(SubscriberFields.shape.timeZone).names,
    },
  ),
});

/** One tag: a word of the site's own. */
export const tagName = line({ min: 1, max: 60 });
const tagList = z
  .string()
  .max(10_000)
  .transform(splitNames)
  .pipe(z.array(tagName, "must be names").max(maxTagsOfPerson, `Use at most ${maxTagsOfPerson} tags.`));

/** The tags of a subscriber, in one field of a form. People get as many as they like, so they are no column. */
export const SubscriberTags = z.object({
  tags: field(tagList, { label: "Tags (optional)", hint: "Your own words for this person, separated by commas." }),
});

/** What a manager says of an address that gets no email. */
export const SuppressionFields = z.object({
  email: field(emailAddress, { label: "Email address", type: "email" }),
  detail: field(optional(line({ max: 300 })), { label: "Note (optional)" }),
});

/** What the languages are called, in each of them. */
const names: Record<Language, string> = {
  en: "english englisch anglais ingles engels",
  de: "german deutsch allemand aleman alemao duits",
  fr: "french francais franzosisch frances frans",
  es: "spanish espanol spanisch espagnol espanhol castellano castilian spaans",
  pt: "portuguese portugues portugiesisch portugais portugees",
  nl: "dutch nederlands niederlandisch neerlandais neerlandes holandes flemish",
};

/**
 * Returns the language of the product that a tag of BCP 47 (`es`, `es-MX`, `pt_BR`) or a name (“Español”, “Portuguese
 * (Brazil)”) means; undefined if there is none.
 */
export function languageIn(text: string): Language | undefined {
  const [word] =
    normalized(text.slice(0, 100), "NFKD")
      .toLowerCase()
      .replaceAll(/\p{M}/gu, "")
      .match(/\p{L}+/u) ?? [];
  return languages.find((language) => word === language || (word && names[language].split(" ").includes(word)));
}
