import { Form } from "../../components/forms/form";
import { BulkBar, BulkButtons } from "../../components/lists/bulk";
import { ActionsHeader, Pick, PickAll, Table } from "../../components/lists/table";
import { Time } from "../../components/time";
import { Status } from "./row";
import type { Project } from "../../../db/projects/projects";
import type { ListView } from "../../components/list";
import { AskLink, path } from "./row-buttons";

/** The projects in the trash, which can be restored or permanently deleted. */
export const Trash = ({ frame, state, rows, total }: ListView<Project>) => (
  <Form action={`${path}/bulk`} token={frame.token} label="Projects in the trash">
    <Table
      caption="Projects in the trash"
      head={
        <>
          <PickAll />
          <th scope="col">Title</th>
          <th scope="col">Status</th>
          <th scope="col">Deleted</th>
          <ActionsHeader />
        </>
      }
    >
      {rows.map((project) => (
        <tr role="row">
          <Pick id={project.id} label={project.title} />
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
    <BulkBar total={total} shown={rows.length} state={state}>
      <BulkButtons of={actions} />
    </BulkBar>
    <p class="hint">Projects are permanently deleted after 30 days in the trash.</p>
  </Form>
);

const actions = [
  ["restore", "Restore"],
  ["delete", "Delete permanently"],
] as const;
