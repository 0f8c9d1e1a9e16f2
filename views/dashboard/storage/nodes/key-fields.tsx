import type { FieldError } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";
import { fieldLabels } from "./fields";

/** The access keys. */
export const KeyFields = ({ isKnown, errors }: { isKnown: boolean; errors: FieldError[] }) => (
  <fieldset>
    <legend>Credentials</legend>
    <p class="hint">
      {isKnown
        ? "Stored encrypted and never shown. Leave a field empty to keep its current value."
        : "Stored encrypted and never shown again."}
    </p>
    <div class="pair">
      <Field name="accessKey" label={fieldLabels.accessKey} errors={errors} required={!isKnown} autocomplete="off" />
      <Field
        name="secretKey"
        label={fieldLabels.secretKey}
        type="password"
        errors={errors}
        required={!isKnown}
        autocomplete="new-password"
      />
    </div>
  </fieldset>
);
