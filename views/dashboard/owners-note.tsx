import { Icon } from "../components/icon";

/** Stands where a manager would look for what only owners may do: `what` completes "Only owners can …". */
export const OwnersNote = ({ what }: { what: string }) => (
  <div class="note info owners">
    <Icon name="user-cog" />
    <p>Only owners can {what}. Ask an owner.</p>
  </div>
);
