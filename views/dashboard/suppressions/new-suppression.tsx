import { DialogFooter } from "../../components/dialog";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

type Props = { frame: Frame; values?: Record<string, string | undefined>; errors?: FieldError[] };

const labels = { email: "Email address", detail: "Note (optional)" };

/** Suppresses one address by hand. */
export const NewSuppressionForm = ({ frame, values = {}, errors = [] }: Props) => (
  <Form action={paths.suppressions} token={frame.token} class="stack">
    <ErrorSummary errors={errors} labels={labels} scope="new" />
    <p>The address gets no newsletter email, even if it is imported or subscribes again.</p>
    <Field
      scope="new"
      name="email"
      label={labels.email}
      type="email"
      value={values.email}
      errors={errors}
      required
      maxlength={200}
      autocomplete="off"
      autofocus
    />
    <Field
      scope="new"
      name="detail"
      label={labels.detail}
      value={values.detail}
      errors={errors}
      maxlength={300}
      autocomplete="off"
    />
    <DialogFooter cancel={paths.suppressions}>Suppress address</DialogFooter>
  </Form>
);
