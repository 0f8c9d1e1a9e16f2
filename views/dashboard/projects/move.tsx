import type { Place } from "../../../db/projects/order";
import type { Project } from "../../../db/projects/projects";
import { DialogFooter } from "../../components/dialog";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

/** The form of "Move to…": the position in the group. */
export const MoveForm = ({ frame, project, place }: { frame: Frame; project: Project; place: Place }) => (
  <Form action={`${paths.projects}/${project.id}/move`} token={frame.token} class="stack">
    <Field
      name="to"
      scope="move"
      label={`Position among ${place.featured ? "featured" : "other"} projects`}
      type="number"
      inputmode="numeric"
      value={String(place.position)}
      hint={`1 to ${place.of}. Currently ${place.position}.`}
      required
      autofocus
    />
    <DialogFooter cancel={paths.projects}>Move</DialogFooter>
  </Form>
);
