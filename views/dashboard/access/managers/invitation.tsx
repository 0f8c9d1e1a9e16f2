import { DialogFooter } from "../../dialog";
import type { FieldError } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { paths } from "../../../paths";
import { Choice } from "../../../components/forms/choices";

const path = paths.managers;

export const roles = [
  ["manager", "Manager"],
  ["owner", "Owner"],
] as const;

type InviteProps = {
  frame: Frame;
  email?: string | undefined;
  errors?: FieldError[] | undefined;
  /** Whether there is a provider to deliver the invitation. */
  canMail: boolean;
};

export const InviteForm = ({ frame, email, errors = [], canMail }: InviteProps) => (
  <Form action={`${path}/invite`} token={frame.token} class="stack">
    <Field
      name="email"
      label="Email address"
      type="email"
      value={email}
      errors={errors}
      required
      maxlength={200}
      autocomplete="off"
      autofocus
    />
    <Choice name="role" label="Role" value="manager" options={roles} hint="Owners also manage access." />
    {canMail && (
      <Choice
        name="by"
        label="Invitation"
        value="email"
        options={[
          ["email", "Send the link by email"],
          ["link", "Show me the link"],
        ]}
      />
    )}
    <DialogFooter cancel={path}>{canMail ? "Invite manager" : "Create invitation link"}</DialogFooter>
  </Form>
);
