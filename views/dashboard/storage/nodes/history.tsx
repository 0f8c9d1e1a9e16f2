import { paths } from "../../../paths";
import { EventsCard } from "../../events-card";
import type { View } from "./facts";

export const History = ({ events, frame }: View) => (
  <EventsCard
    id="history"
    title="Node history"
    href={`${paths.audit}?action=storage-node`}
    empty="Changes, pauses and recoveries of this node appear here."
    events={events}
    frame={frame}
  />
);
