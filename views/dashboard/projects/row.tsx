import type { Project } from "../../../db/projects/projects";
import { Badge } from "../../components/badge";
import { Icon } from "../../components/icon";
import { number } from "../../components/list";
import { Pick } from "../../components/lists/table";
import { paths } from "../../paths";
import { Steps, Star, path, type RowProps, More } from "./row-buttons";

export const ProjectRow = ({ project, isWhole }: RowProps) => (
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
      <a class="who" href={`${path}/${project.id}`}>
        {project.title}
      </a>
      <span class="sub mono">{project.slug}</span>
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

export const Status = ({ status }: Pick<Project, "status">) => (
  <Badge tone={status === "PUBLISHED" ? "good" : "off"}>{statusNames[status]}</Badge>
);

export const statusNames = { PUBLISHED: "Published", DRAFT: "Draft", ARCHIVED: "Archived" } as const;
