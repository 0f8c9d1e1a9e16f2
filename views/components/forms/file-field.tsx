import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../icon";

type FileFieldProps = {
  /** Its name too. */
  id: string;
  label: string;
  /** Endings and media types, with commas. */
  accept: string;
  multiple?: boolean;
  /** What was wrong with what was chosen before. */
  problem: string | undefined;
  /** What the file has to be. */
  children: Child;
};

/** Files of this machine's, chosen; the form around it is sent as multipart/form-data. */
export const FileField = ({ id, label, accept, multiple, problem, children }: FileFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      class="input"
      type="file"
      id={id}
      name={id}
      accept={accept}
      multiple={multiple}
      required
      aria-describedby={problem ? `${id}-error ${id}-hint` : `${id}-hint`}
      aria-invalid={problem ? "true" : undefined}
    />
    {problem && (
      <p class="error" id={`${id}-error`} role="alert">
        <Icon name="circle-alert" />
        {problem}
      </p>
    )}
    <p class="hint" id={`${id}-hint`}>
      {children}
    </p>
  </div>
);
