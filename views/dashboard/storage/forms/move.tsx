import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import { plural } from "../../../components/list";
import { Foot, type FormProps, Warned } from "./parts";

type MoveProps = FormProps & {
  action: string;
  fields: Record<string, string | string[]>;
  folders: string[];
  to: string;
  /** How many files with the same names exist there. */
  conflicts?: number;
};

export const MoveForm = ({ frame, action, fields, folders, to, conflicts = 0, errors = [], cancel }: MoveProps) => (
  <Form action={action} token={frame.token} class="stack">
    {conflicts > 0 && (
      <Warned>
        {plural(conflicts, "file has a name", "files have names")} that already {conflicts === 1 ? "exists" : "exist"}{" "}
        in this folder. All will be kept.
      </Warned>
    )}
    {Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((value) => <input type="hidden" name={name} value={value} />),
    )}
    {conflicts > 0 && <input type="hidden" name="anyway" value={`/${to}`} />}
    <Field
      name="to"
      label="Folder"
      value={to}
      errors={errors}
      hint="For example photos/2026. Leave empty for no folder. New folders are created."
      list="folders"
      autocomplete="off"
      autofocus
    />
    <datalist id="folders">
      {folders.map((folder) => (
        <option value={folder} />
      ))}
    </datalist>
    <Foot cancel={cancel} verb={conflicts > 0 ? "Move anyway" : "Move"} />
  </Form>
);
