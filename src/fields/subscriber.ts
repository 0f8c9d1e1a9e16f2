import { z } from "zod";
import { emailAddress } from "../platform/text/email-address";
import { optional } from "../http/request-schemas";
import { line } from "../platform/text/schemas";
import { field, inputsOf } from "./field";

const words = (text: string) => text.split(/\s+/);

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
  name: field(optional(line({ max: 100 })), {
    label: "Name (optional)",
    csv: words("name fullname displayname subscribername nomcomplet nombrecompleto nomecompleto volledigenaam"),
  }),
  source: field(optional(line({ max: 100 })), {
    label: "Source",
    hint: "How this person found you, for your own statistics.",
    csv: words("source signupsource subscribersource optinsource quelle"),
  }),
});

/** The form of the archive. */
export const { email: emailInput } = inputsOf(SubscriberFields);

/** What managers may say of a subscriber. A field that visitors may not send is added here, not above. */
export const ManagedSubscriberFields = SubscriberFields.extend({});

/** What a manager says of an address that gets no email. */
export const SuppressionFields = z.object({
  email: field(emailAddress, { label: "Email address", type: "email" }),
  detail: field(optional(line({ max: 300 })), { label: "Note (optional)" }),
});
