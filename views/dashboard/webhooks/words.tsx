import type { Endpoint } from "../../../db/webhooks/endpoints";
import type { Delivery } from "../../../db/webhooks/deliveries";
import { Badge } from "../../components/badge";

/** Whether an endpoint is called, and whether it succeeds. */
export function EndpointState({ state, failingSince }: Pick<Endpoint, "state" | "failingSince">) {
  if (state === "broken") return <Badge tone="bad">Broken</Badge>;
  if (state === "off") return <Badge tone="off">Off</Badge>;
  return failingSince ? <Badge tone="warn">Failing</Badge> : <Badge tone="good">On</Badge>;
}

export function DeliveryState({ state, attempts }: Pick<Delivery, "state" | "attempts">) {
  if (state === "delivered") return <Badge tone="good">Delivered</Badge>;
  if (state === "dead") return <Badge tone="bad">Failed</Badge>;
  return attempts ? <Badge tone="warn">Retrying</Badge> : <Badge tone="busy">Waiting</Badge>;
}

/** "All events", or the names of the chosen ones. */
export const eventsOf = ({ events }: Pick<Endpoint, "events">) => (events.length ? events.join(", ") : "All events");
