import * as endpoints from "../../db/webhooks/endpoints";
import { maxVerifySeconds, usualVerifySeconds } from "../../db/webhooks/verify";
import { webhookTypes } from "../../db/events/webhook-events";
import { makeSecret } from "../webhooks/secrets";
import { webhookTarget } from "../webhooks/target";
import { actor, type Command, print, withData } from "./command";

const by = { actor };

export const commands: Command[] = [
  {
    usage: "webhooks add <url> [--events=a,b] [--with-people] [--verify-seconds=30] [--accept-unanswered]",
    about:
      "Add an endpoint, for all events or these, and print its signing secret (shown only once). With upload.verify it decides about uploads: in 1 to 300 seconds; those it does not answer are refused, or accepted",
    options: {
      events: { type: "string" },
      "with-people": { type: "boolean" },
      "verify-seconds": { type: "string" },
      "accept-unanswered": { type: "boolean" },
    },
    run: ([url = ""], flags) =>
      withData(async ({ config, db, now }) => {
        const target = webhookTarget(url, config.WEBHOOK_PRIVATE_HOSTS);
        if ("problem" in target)
          throw new Error(target.setting ? `${target.problem} See ${target.setting}.` : target.problem);
        const { secret, sealed } = makeSecret(config);
        const fields = {
          name: new URL(target.url).hostname.slice(0, 60),
          url: target.url,
          events: eventsOf(flags.events),
          withPeople: flags["with-people"] === true,
          verifySeconds: secondsOf(flags["verify-seconds"]),
          acceptsUnanswered: flags["accept-unanswered"] === true,
        };
        const added = await endpoints.add(db, { fields, secret: sealed }, by, now);
        if (!added) throw new Error(`The limit is ${endpoints.maxEndpoints} endpoints. Remove one first.`);
        print(added.id, secret);
      }),
  },
  {
    usage: "webhooks list",
    about: "List endpoints (id, name, URL, status, events, with people, failing since)",
    run: () =>
      withData(async ({ db }) => {
        for (const { id, name, url, state, events, withPeople, failingSince } of await endpoints.list(db))
          print(
            ...[id, name, url, state, events.join(",") || "all", withPeople ? "with people" : "IDs only"],
            failingSince?.toISOString() ?? "not failing",
          );
      }),
  },
  {
    usage: "webhooks ping <id>",
    about: "Send a ping to an endpoint; the running service delivers it",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        const sent = await endpoints.ping(db, id, by, now);
        if (!sent) throw new Error(`No endpoint with the ID ${id} is on.`);
        print(sent.delivery, "queued");
      }),
  },
  {
    usage: "webhooks remove <id>",
    about: "Remove an endpoint and its deliveries; this cannot be undone",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        const removed = await endpoints.remove(db, id, by, now);
        if (!removed) throw new Error(`No endpoint with the ID ${id}.`);
        print(id, removed.name, "removed");
      }),
  },
];

/** No events means all. @throws if one is unknown */
function eventsOf(list: unknown): string[] {
  const names = list === undefined ? [] : String(list).split(",");
  const unknown = names.find((name) => !webhookTypes.some((type) => type === name));
  if (unknown !== undefined)
    throw new Error(`Unknown event “${unknown.slice(0, 60)}”. Events are ${webhookTypes.join(", ")}.`);
  return [...new Set(names)];
}

/** @throws if it is not a number of seconds that an endpoint can have */
function secondsOf(text: unknown): number {
  const seconds = text === undefined ? usualVerifySeconds : Number(/^\d{1,3}$/.exec(String(text))?.[0]);
  if (seconds >= 1 && seconds <= maxVerifySeconds) return seconds;
  throw new Error(`--verify-seconds must be a whole number from 1 to ${maxVerifySeconds}.`);
}
