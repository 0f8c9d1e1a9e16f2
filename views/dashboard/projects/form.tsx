import { ErrorSummary } from "../../components/forms/field-errors";
import { Icon } from "../../components/icon";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Menu } from "../../components/menu";
import { ConflictNote } from "../conflict";
import { Crumb, Head } from "../shell";
import { type Props, labels, Fields } from "./fields";
import { paths } from "../../paths";
import { path } from "./row-buttons";

export const ProjectPage = ({ view, frame }: Props) => (
  <>
    <Crumb href={path}>Projects</Crumb>
    <Head title={view.id ? view.was.title : "New project"}>{view.id && <Actions id={view.id} frame={frame} />}</Head>
    <ProjectForm view={view} frame={frame} />
  </>
);

/** What can be done with a project besides editing it. */
const Actions = ({ id, frame }: { id: string; frame: Frame }) => (
  <>
    <a class="btn" href={paths.clicksOf(id)} id="clicks">
      <Icon name="chart-column" />
      Clicks
    </a>
    <Form action={`${path}/${id}/duplicate`} token={frame.token} class="row" label="This project" plain>
      <Menu id={id} label="More actions for this project">
        <button type="submit" class="btn quiet">
          <Icon name="copy" />
          Duplicate
        </button>
        <button type="submit" class="btn quiet" formaction={`${path}/${id}/trash`} data-hotkey="#">
          <Icon name="trash-2" />
          Delete
        </button>
      </Menu>
    </Form>
  </>
);

export function ProjectForm({ view, frame }: Props) {
  const { id, version, was, errors = [], theirs } = view;
  return (
    <Form
      action={id ? `${path}/${id}` : path}
      token={frame.token}
      id="project-form"
      label={id ? "Project" : "New project"}
      class="card narrow project-form"
      guard
    >
      <input type="hidden" name="version" value={String(version)} />
      <input type="hidden" name="was" value={JSON.stringify(was)} />
      <div class="body">
        <ErrorSummary errors={errors} labels={labels} scope="project" />
        {theirs && <ConflictNote />}
        <Fields view={view} frame={frame} />
        <div class="save">
          <button type="submit" class="btn primary" id="save-project">
            {id ? "Save" : "Create project"}
          </button>
          <a class="btn" href={path}>
            Cancel
          </a>
        </div>
      </div>
    </Form>
  );
}
