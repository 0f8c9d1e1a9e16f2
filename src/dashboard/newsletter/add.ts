import { z } from "zod";
import { addByHand, type Refusal } from "../../../db/newsletter/add";
import type { Deps } from "../deps";
import { line } from "../../platform/text/schemas";
import { optional } from "../../http/request-schemas";
import { actorOf } from "../../security/session/session";
import { readForm } from "../form-input";
import { emailAddress } from "../../platform/text/email-address";

const NewSubscriber = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

const refusals: Record<Refusal, string> = {
  active: "This address is already subscribed.",
  unsubscribed: "This address has unsubscribed. If this person asked you to, reactivate it in the list.",
  erased: "What was stored under this address was erased. Its owner can subscribe again with the form.",
};

/** Adds the subscriber, unless the form is invalid or the address already exists. Never reactivates anyone. */
export async function add({ db, now }: Deps, request: Request, values: Record<string, string>) {
  const { input, errors } = readForm(NewSubscriber, values);
  if (errors) return { errors };
  const how = { ...actorOf(request), welcome: values.welcome === "yes" };
  const added = await addByHand(db, input, how, now());
  if (added.refusal) return { errors: [{ field: "email", message: refusals[added.refusal] }] };
  return { email: input.email, isSuppressed: added.isSuppressed };
}
