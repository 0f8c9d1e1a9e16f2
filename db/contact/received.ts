import type { Orm } from "../engine/open";
import type { messages } from "../schema/contact";
import { emit } from "../webhooks/events";

type Message = typeof messages.$inferSelect;
type Received = Pick<Message, "id" | "source" | "name" | "email" | "message">;

/** Reports to webhooks a message that has reached the inbox: immediately, or when it is released from quarantine. */
export const emitReceived = (orm: Orm, { id, source, name, email, message }: Received, now: Date): Promise<void> =>
  emit(orm, "message.received", { id, source }, now, () => ({ name, email, message }));
