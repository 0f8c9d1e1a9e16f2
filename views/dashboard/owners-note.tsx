import { Icon } from "../components/icon";

/** Explains to managers why something is for owners only: `what` completes "Only owners can …". */
export const OwnersNote = ({ what }: { what: string }) => (
  <div class="note info owners">
    <Icon name="user-cog" />
    <p>Only owners can {what}. Ask an owner.</p>
  </div>
);
