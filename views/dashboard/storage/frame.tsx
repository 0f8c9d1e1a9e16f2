import { number } from "../../components/list";
import { paths } from "../../paths";

export type StorageCounts = { trash: number; open: number };

export const path = paths.storage;
const rooms = [
  { path, label: "Files", figure: undefined },
  { path: `${path}/uploads`, label: "Open uploads", figure: "open" },
  { path: `${path}/trash`, label: "Trash", figure: "trash" },
  { path: `${path}/nodes`, label: "Nodes", figure: undefined },
] as const;

/** The tabs of Storage, with their counts. */
export const StorageTabs = ({ here, counts }: { here: string; counts: StorageCounts }) => (
  <nav class="rooms-nav" aria-label="Storage" id="storage-tabs">
    {rooms.map(({ path: room, label, figure }) => (
      <a href={room} aria-current={room === here ? "page" : undefined}>
        {label}
        {figure && counts[figure] > 0 && <span class="count">{number(counts[figure])}</span>}
      </a>
    ))}
  </nav>
);

/** Sent with a list that changed alone. */
export const FreshTabs = (props: { here: string; counts: StorageCounts }) => (
  <hx-partial hx-target="#storage-tabs" hx-swap="outerHTML">
    <StorageTabs {...props} />
  </hx-partial>
);
