import { Field } from "../../../components/forms/field";
import { fieldLabels, type Part } from "./fields";

/** The capacity, and other limits. */
export const LimitFields = ({ draft, errors }: Part) => (
  <fieldset>
    <legend>Limits</legend>
    <div class="pair">
      <Field
        name="capacity"
        label={fieldLabels.capacity}
        value={draft.capacity}
        errors={errors}
        hint="Space for uploads, such as 500GB or 2TiB"
        required
        autocomplete="off"
      />
      <Field
        name="staleUploadHours"
        label={fieldLabels.staleUploadHours}
        value={draft.staleUploadHours ?? "24"}
        errors={errors}
        hint="How long the server keeps them. MinIO: 24, unless you changed it."
        inputmode="numeric"
        maxlength={4}
        autocomplete="off"
      />
    </div>
    <Field
      name="maxPut"
      label={`${fieldLabels.maxPut} (optional)`}
      value={draft.maxPut}
      errors={errors}
      hint="Leave empty for 5 GiB (5 TiB on MinIO). Larger files are sent in parts. Enter more only if the server is set up for it."
      autocomplete="off"
    />
  </fieldset>
);
