import type { Project } from "../../../db/projects/projects";
import { Badge, Usual } from "../../components/badge";
import { Icon } from "../../components/icon";
import { number } from "../../components/list";
import { Covered, type Covers, Pick } from "../../components/lists/table";
import { Menu } from "../../components/lists/row-actions";
import { paths } from "../../paths";

export const path = paths.projects;

type RowProps = { project: Project; isWhole: boolean; covers: Covers };

const Star = ({ project: { id, title, featured } }: { project: Project }) => (
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
const Steps = ({ project: { id, title } }: { project: Project }) => (
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

const More = ({ project: { id, title, status, liveUrl }, isWhole }: { project: Project; isWhole: boolean }) => (
  <Menu id={id} label={`More actions for ${title}`}>
    {isWhole && (
      <a class="btn quiet" href={`${path}/${id}/move`} hx-target="#dialog">
        Move to…
      </a>
    )}
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

export const ProjectRow = ({ project, isWhole, covers }: RowProps) => (
  <tr id={`project-${project.id}`} class="project" role="row">
    {isWhole && (
      <td class="grip with-script" role="cell">
        <button
          type="button"
          class="btn quiet sm icon-only"
          id={`handle-${project.id}`}
          data-handle
          aria-label={`Reorder ${project.title}`}
          aria-describedby="order-help"
        >
          <Icon name="grip-vertical" />
        </button>
      </td>
    )}
    <Pick id={project.id} label={project.title} />
    <td class="main" role="cell">
      <Covered id={project.id} covers={covers}>
        <a class="who" href={`${path}/${project.id}`}>
          {project.title}
        </a>
        <span class="sub mono">{project.slug}</span>
      </Covered>
    </td>
    <td class="state" role="cell">
      <Status status={project.status} />
    </td>
    <td class="star" role="cell">
      <Star project={project} />
    </td>
    <Clicks project={project} />
    <td class="tech" role="cell">
      {project.tech.length > 0 ? project.tech.join(", ") : <span class="none">–</span>}
    </td>
    <td class="acts" role="cell">
      {isWhole && <Steps project={project} />}
      <More project={project} isWhole={isWhole} />
    </td>
  </tr>
);

const Clicks = ({ project: { id, clicks } }: { project: Project }) => (
  <td class="num clicks" role="cell">
    <a class="figure" href={paths.clicksOf(id)}>
      {number(clicks)}
      <span class="unit"> {clicks === 1 ? "click" : "clicks"}</span>
    </a>
  </td>
);

export const Status = ({ status }: Pick<Project, "status">) =>
  status === "PUBLISHED" ? <Usual>{statusNames[status]}</Usual> : <Badge tone="off">{statusNames[status]}</Badge>;

export const statusNames = { PUBLISHED: "Published", DRAFT: "Draft", ARCHIVED: "Archived" } as const;
