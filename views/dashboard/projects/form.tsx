import { ErrorSummary } from "../../components/forms/field-errors";
import { Icon } from "../../components/icon";
import { Form } from "../../components/forms/form";
import { ConflictNote } from "../conflict";
import { Crumb, Head } from "../shell";
import { type Props, labels, Fields } from "./fields";
import { paths } from "../../paths";
import { path } from "./row-buttons";

export const ProjectPage = ({ view, frame }: Props) => (
  <>
    <Crumb href={path}>Projects</Crumb>
    <Head title={view.id ? view.was.title : "New project"}>
      {view.id && (
        <a class="btn" href={paths.clicksOf(view.id)} id="clicks">
          <Icon name="chart-column" />
          Clicks
        </a>
      )}
    </Head>
    <ProjectForm view={view} frame={frame} />
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
