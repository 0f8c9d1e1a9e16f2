import type { StoredFile } from "../../../../db/storage/files";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import { paths } from "../../../paths";
import { Foot, type FormProps, Warned } from "./parts";

type RenameProps = FormProps & { file: StoredFile; value?: string; isTaken?: boolean };

export const RenameForm = ({ frame, file, value, isTaken, errors = [], cancel }: RenameProps) => (
  <Form action={`${paths.file(file.id)}/rename`} token={frame.token} class="stack">
    {isTaken && <Warned>This folder already has a file with that name. Both will be kept.</Warned>}
    <Field name="filename" label="Name" value={value ?? file.filename} errors={errors} required autofocus />
    {isTaken && <input type="hidden" name="anyway" value={value ?? ""} />}
    <Foot cancel={cancel} verb={isTaken ? "Rename anyway" : "Rename"} />
  </Form>
);

type FolderProps = FormProps & { parent: string; value?: string };

export const FolderForm = ({ frame, parent, value, errors = [], cancel }: FolderProps) => (
  <Form action={paths.folders} token={frame.token} class="stack">
    <input type="hidden" name="in" value={parent} />
    <Field
      name="name"
      label="Name"
      value={value}
      errors={errors}
      hint={parent ? `In ${parent}.` : undefined}
      required
      autofocus
      autocomplete="off"
    />
    <Foot cancel={cancel} verb="Create folder" />
  </Form>
);
