import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../icon";

type FileFieldProps = {
  /** The ID of the input, which is also its name in the form. */
  id: string;
  label: string;
  /** File extensions and media types, comma-separated. */
  accept: string;
  multiple?: boolean;
  /** What was wrong with the previous choice. */
  problem: string | undefined;
  /** Describes the file. */
  children: Child;
};

/** Chooses files on this computer; the form is sent as multipart/form-data. */
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
