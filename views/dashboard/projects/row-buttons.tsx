import type { Project } from "../../../db/projects/projects";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/menu";
import { paths } from "../../paths";

export const path = paths.projects;

export type RowProps = { project: Project; isWhole: boolean };

export const Star = ({ project: { id, title, featured } }: { project: Project }) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    id={`star-${id}`}
    formaction={`${path}/${id}/${featured ? "unfeature" : "feature"}`}
    aria-pressed={featured ? "true" : "false"}
    aria-label={`Feature ${title}`}
  >
    <Icon name="star" />
  </button>
);

/** Dragging must not be the only way (WCAG 2.5.7). */
export const Steps = ({ project: { id, title } }: { project: Project }) => (
  <>
    {(["up", "down"] as const).map((step) => (
      <button
        type="submit"
        class="btn quiet sm icon-only"
        id={`${step}-${id}`}
        formaction={`${path}/${id}/move`}
        name="to"
        value={step}
        aria-label={`Move ${title} ${step}`}
      >
        <Icon name={`chevron-${step}`} />
      </button>
    ))}
  </>
);

export const More = ({ project: { id, title, status, liveUrl }, isWhole }: { project: Project; isWhole: boolean }) => (
  <Menu id={id} label={`More actions for ${title}`}>
    {isWhole && <AskLink href={`${path}/${id}/move`}>Move to…</AskLink>}
    {liveUrl && (
      <a class="btn quiet" href={liveUrl} rel="noreferrer" target="_blank">
        View live
      </a>
    )}
    {status !== "PUBLISHED" && <Act to={`${path}/${id}/publish`}>Publish</Act>}
    {status !== "DRAFT" && (
      <Act to={`${path}/${id}/unpublish`}>{status === "ARCHIVED" ? "Move to drafts" : "Unpublish…"}</Act>
    )}
    {status !== "ARCHIVED" && <Act to={`${path}/${id}/archive`}>{status === "DRAFT" ? "Archive" : "Archive…"}</Act>}
    <Act to={`${path}/${id}/duplicate`}>Duplicate</Act>
    <Act to={`${path}/${id}/trash`} hotkey="#">
      Delete
    </Act>
  </Menu>
);

const Act = ({ to, hotkey, children }: { to: string; hotkey?: string; children?: string }) => (
  <button type="submit" class="btn quiet" formaction={to} data-hotkey={hotkey}>
    {children}
  </button>
);

export const AskLink = ({
  href,
  children,
  class: look = "btn quiet",
}: {
  href: string;
  class?: string;
  children?: string;
}) => (
  <a class={look} href={href} hx-target="#dialog">
    {children}
  </a>
);
