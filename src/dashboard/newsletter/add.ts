import { z } from "zod";
import * as audit from "../../../db/audit";
import * as subscribers from "../../../db/newsletter/subscribers";
import type { Deps } from "../../boot/deps";
import { emailAddress, line, optional } from "../../http/request-schemas";
import { actorOf } from "../../security/session";

const NewSubscriber = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

/** Adds the person, unless the form is wrong or the address is there already. An unsubscribed one is never revived by this. */
export async function add({ db, now }: Deps, request: Request, values: Record<string, string>) {
  const parsed = NewSubscriber.safeParse(values);
  if (!parsed.success)
    return { errors: parsed.error.issues.map(({ path: at, message }) => ({ field: at.join("."), message })) };
  const known = await subscribers.byEmail(db, parsed.data.email);
  if (known) {
    const message =
      known.state === "active"
        ? "is subscribed already"
        : "unsubscribed earlier: find it in the list and reactivate it, if this person asked you to";
    return { errors: [{ field: "email", message }] };
  }
  const by = actorOf(request);
  const { email } = parsed.data;
  const welcome = values.welcome === "yes";
  await subscribers.subscribe(db, parsed.data, { via: "manager", actor: by.actor }, now(), { welcome });
  await audit.note(db, { ...by, action: "subscriber.add", target: email }, now());
  return { email };
}
