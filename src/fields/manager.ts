import { z } from "zod";
import { emailAddress } from "../platform/text/email-address";
import { line } from "../platform/text/schemas";
import { field } from "./field";

/** What a manager's account has. How good a new password is, is checked after this. */
export const ManagerFields = z.object({
  email: field(emailAddress, { label: "Email address", type: "email" }),
  name: field(line({ min: 1, max: 100 }), { label: "Your name" }),
  password: z.string({ error: "is required" }).max(2_000, "must be at most 2000 characters long"),
});

/** What a manager calls a passkey. */
export const PasskeyFields = z.object({ name: field(line({ min: 1, max: 60 }), { label: "Passkey name" }) });
