import { Form } from "../../components/forms/form";
import { ActionsHeader, Table } from "../../components/lists/table";
import { Time } from "../../components/time";
import { Status } from "./row";
import type { Project } from "../../../db/projects/projects";
import type { ListView } from "../../components/list";
import { AskLink, path } from "./row-buttons";

/** The deleted projects: restored, or deleted for good. */
export const Trash = ({ frame, rows }: ListView<Project>) => (
  <Form action={`${path}/order`} token={frame.token} label="Projects in the trash">
    <Table
      caption="Projects in the trash"
      head={
        <>
          <th scope="col">Title</th>
          <th scope="col">Status</th>
          <th scope="col">Deleted</th>
          <ActionsHeader />
        </>
      }
    >
      {rows.map((project) => (
        <tr role="row">
          <td class="main" role="cell">
            <span class="who">{project.title}</span>
            <span class="sub mono">{project.slug}</span>
          </td>
          <td class="state" role="cell">
            <Status status={project.status} />
          </td>
          <td class="when" role="cell">
            {project.deletedAt && <Time at={project.deletedAt} clock={frame} />}
          </td>
          <td class="acts" role="cell">
            <button
              type="submit"
              class="btn quiet sm"
              formaction={`${path}/${project.id}/restore`}
              aria-label={`Restore ${project.title}`}
            >
              Restore
            </button>
            <AskLink class="btn quiet sm" href={`${path}/${project.id}/delete`}>
              Delete permanently…
            </AskLink>
          </td>
        </tr>
      ))}
    </Table>
    <p class="hint">Projects are permanently deleted after 30 days in the trash.</p>
  </Form>
);
