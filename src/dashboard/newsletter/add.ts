import { z } from "zod";
import * as audit from "../../../db/audit";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as suppressions from "../../../db/suppressions/suppressions";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/text/schemas";
import { optional } from "../../http/request-schemas";
import { actorOf } from "../../security/session/session";
import { readForm } from "../form-input";
import { emailAddress } from "../../http/email-address";

const NewSubscriber = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

/** Adds the subscriber, unless the form is invalid or the address already exists. Never reactivates anyone. */
export async function add({ db, now }: Deps, request: Request, values: Record<string, string>) {
  const { input, errors } = readForm(NewSubscriber, values);
  if (errors) return { errors };
  const known = await subscribers.byEmail(db, input.email);
  if (known) {
    const message =
      known.state === "active"
        ? "This address is already subscribed."
        : "This address has unsubscribed. If this person asked you to, reactivate it in the list.";
    return { errors: [{ field: "email", message }] };
  }
  if ((await suppressions.ofAddress(db, input.email))?.email === null)
    return {
      errors: [
        {
          field: "email",
          message: "What was stored under this address was erased. Its owner can subscribe again with the form.",
        },
      ],
    };
  const by = actorOf(request);
  const { email } = input;
  const welcome = values.welcome === "yes";
  await subscribers.subscribe(db, input, { via: "manager", actor: by.actor }, now(), { welcome });
  await audit.note(db, { ...by, action: "subscriber.add", target: email }, now());
  return { email, isSuppressed: Boolean((await subscribers.byEmail(db, email))?.suppressedAt) };
}
