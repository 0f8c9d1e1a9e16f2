import { z } from "zod";
import { emailAddress } from "../platform/text/email-address";
import { optional } from "../http/request-schemas";
import { line } from "../platform/text/schemas";
import { field } from "./field";

/** What a manager says of an address that gets no email. */
export const SuppressionFields = z.object({
  email: field(emailAddress, { label: "Email address", type: "email" }),
  detail: field(optional(line({ max: 300 })), { label: "Note (optional)" }),
});
