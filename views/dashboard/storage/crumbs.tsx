import { Icon } from "../../components/icon";
import { listUrl } from "../../components/list";
import { path } from "./frame";

export const folderUrl = (folder: string) => listUrl({ path, query: {} }, { folder });

/** The path from the root to a folder. The last step is the current page, unless something follows it. */
export const Crumbs = ({ folder, children }: { folder: string; children?: string }) => {
  const names = folder ? folder.split("/") : [];
  const steps = [
    { name: "All files", to: "" },
    ...names.map((name, i) => ({ name, to: names.slice(0, i + 1).join("/") })),
  ];
  return (
    <nav class="crumbs" aria-label="Folders">
      <ol>
        {steps.map(({ name, to }, i) => (
          <li>
            <a
              href={folderUrl(to)}
              id={`crumb-${i}`}
              aria-current={!children && i === steps.length - 1 ? "page" : undefined}
            >
              {i === 0 && <Icon name="hard-drive" />}
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
