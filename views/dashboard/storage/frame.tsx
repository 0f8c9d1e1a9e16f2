import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { listUrl, number } from "../../components/list";
import { paths } from "../../paths";

export type StorageCounts = { trash: number; open: number };

const path = paths.storage;
const tabs = [
  { path, label: "Files", figure: undefined },
  { path: paths.pictures, label: "Pictures", figure: undefined },
  { path: `${path}/uploads`, label: "Open uploads", figure: "open" },
  { path: `${path}/trash`, label: "Trash", figure: "trash" },
  { path: `${path}/nodes`, label: "Nodes", figure: undefined },
] as const;

/** The tabs of Storage, with their counts. */
type TabsProps = { frame: Frame; here: string; counts: StorageCounts };

export const StorageTabs = ({ frame, here, counts }: TabsProps) => (
  <nav class="tabs-nav" aria-label="Storage" id="storage-tabs">
    {tabs
      .filter(({ path: tab }) => frame.may(tab))
      .map(({ path: tab, label, figure }) => (
        <a href={tab} aria-current={tab === here ? "page" : undefined}>
          {label}
          {figure && counts[figure] > 0 && <span class="count">{number(counts[figure])}</span>}
        </a>
      ))}
  </nav>
);

/** Sent with a list that changed alone. */
export const FreshTabs = (props: TabsProps) => (
  <hx-partial hx-target="#storage-tabs" hx-swap="outerHTML">
    <StorageTabs {...props} />
  </hx-partial>
);

export const folderUrl = (folder: string) => listUrl({ path, query: {} }, { folder });

export const allPictures = { name: "All pictures", path: paths.pictures };

type CrumbsProps = {
  folder: string;
  /** The list without a folder. */
  root?: { name: string; path: string };
  children?: string;
};

/** The path from the root to a folder. The last step is the current page, unless something follows it. */
export const Crumbs = ({ folder, root = { name: "All files", path }, children }: CrumbsProps) => {
  const names = folder ? folder.split("/") : [];
  const steps = [
    { name: root.name, to: "" },
    ...names.map((name, i) => ({ name, to: names.slice(0, i + 1).join("/") })),
  ];
  return (
    <nav class="crumbs" aria-label="Folders">
      <ol>
        {steps.map(({ name, to }, i) => (
          <li>
            <a
              href={listUrl({ path: root.path, query: {} }, { folder: to })}
              data-drop={root.path === paths.pictures && !children ? to : undefined}
              id={`crumb-${i}`}
              aria-current={!children && i === steps.length - 1 ? "page" : undefined}
            >
              {i === 0 && <Icon name={root.path === paths.pictures ? "image" : "hard-drive"} />}
              {name}
            </a>
          </li>
        ))}
        {children && (
          <li>
            <span aria-current="page">{children}</span>
          </li>
        )}
      </ol>
    </nav>
  );
};
