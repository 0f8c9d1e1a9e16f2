import type { Orm } from "../engine/open";
import type { messages } from "../schema/contact";
import { emitAll } from "../webhooks/events";

type Message = typeof messages.$inferSelect;
type Received = Pick<Message, "id" | "source" | "name" | "email" | "message">;

/** Reports to webhooks messages that have reached the inbox: immediately, or when they are released from quarantine. */
export const emitReceived = (orm: Orm, all: Received[], now: Date): Promise<void> =>
  emitAll(
    orm,
    all.map(({ id, source, name, email, message }) => ({
      type: "message.received",
      data: { id, source },
      people: () => ({ name, email, message }),
    })),
    now,
  );
