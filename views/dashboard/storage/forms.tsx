import type { StoredFile } from "../../../db/storage/files";
import { DialogFooter } from "../dialog";
import { Field } from "../../components/forms/fields";
import type { FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { exact } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";

type FormProps = { frame: Frame; cancel: string; errors?: FieldError[] };

/** A warning before an action that is still possible. */
const Warned = ({ children }: { children?: Child }) => (
  <p class="note" role="alert" tabindex="-1" data-focus>
    <Icon name="triangle-alert" />
    <span>{children}</span>
  </p>
);

const Foot = ({ cancel, verb }: { cancel: string; verb: string }) => (
  <DialogFooter cancel={cancel}>{verb}</DialogFooter>
);

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

type LinkProps = { frame: Frame; url: string; until: Date; cancel: string };

/** A link to share, and until when it works. */
export const LinkSheet = ({ frame, url, until, cancel }: LinkProps) => (
  <div class="stack">
    <p>
      Anyone with this link can download the file until <strong>{exact(until, frame.preferences)}</strong>. It cannot be
      revoked earlier.
    </p>
    <div class="secret">
      <label class="sr" for="link-url">
        Link
      </label>
      <input class="input" id="link-url" readonly value={url} data-secret />
      <button type="button" class="btn primary with-script" data-copy="#link-url" id="copy-link" data-focus>
        <Icon name="copy" />
        <span data-label>Copy</span>
      </button>
    </div>
    <footer>
      <a class="btn" href={cancel} data-close>
        Close
      </a>
    </footer>
  </div>
);

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
