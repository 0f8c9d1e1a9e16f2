import { Menu, MenuLink } from "../../components/lists/row-actions";
import type { Setting } from "../../../db/settings/settings";
import { Badge } from "../../components/badge";
import { DialogLink } from "../../components/buttons";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Time } from "../../components/time";
import { By } from "../../components/who";
import { paths } from "../../paths";
import { ConflictChoice, ConflictNote, type Theirs } from "../conflict";
import { DialogFooter } from "../dialog";
import { changeMail, path } from "./section";

type CustomSetting = Setting & { isForOwners: boolean };

const columnsOf = (frame: Frame): Column<CustomSetting>[] => [
  {
    title: "Key and value",
    kind: "main",
    cell: ({ key, value, isPublic }) => (
      <>
        <span class="who mono">{key}</span>
        <span class="sub">{value}</span>
        {!isPublic && <Badge tone="off">Not public</Badge>}
      </>
    ),
  },
  { title: "Changed", kind: "when", cell: (setting) => <Changed setting={setting} frame={frame} /> },
];

type SettingProps = { setting: CustomSetting; frame: Frame };

const Changed = ({ setting: { updatedAt, updatedBy }, frame }: SettingProps) => (
  <>
    <Time at={updatedAt} clock={frame} />
    {updatedBy && (
      <span class="muted">
        {" "}
        <By actor={updatedBy} names={frame.names} />
      </span>
    )}
  </>
);

const OwnActions = ({ setting: { key, isForOwners }, frame }: SettingProps) =>
  isForOwners && frame.manager.role !== "owner" ? (
    <span class="none" title={`Only owners can ${changeMail}.`}>
      Owners only
    </span>
  ) : (
    <Actions name={key} />
  );

const Actions = ({ name }: { name: string }) => (
  <Menu id={`key-${name}`} label={`Actions for ${name}`}>
    <MenuLink id={`edit-${name}`} href={`${path}/custom/${name}/edit`} icon="pencil">
      Edit…
    </MenuLink>
    <MenuLink id={`remove-${name}`} href={`${path}/custom/${name}/remove`} icon="trash-2" hotkey="#">
      Remove…
    </MenuLink>
  </Menu>
);

/** The settings without a field of their own. */
export const CustomSettings = ({ settings, frame }: { settings: CustomSetting[]; frame: Frame }) => (
  <div class="list card" id="list">
    {settings.length > 0 ? (
      <ColumnTable
        caption={plural(settings.length, "custom key")}
        isFramed={false}
        columns={columnsOf(frame)}
        rows={settings}
        actions={(setting) => <OwnActions setting={setting} frame={frame} />}
      />
    ) : (
      <p class="body muted">None yet.</p>
    )}
    <div class="foot">
      <DialogLink id="add-key" href={`${path}/custom/new`} icon="plus">
        Add key{" "}
      </DialogLink>
    </div>
  </div>
);

export type CustomView = {
  key: string;
  value: string;
  /** The state when the form was opened; "none" for a new key. */
  stamp: string;
  errors?: FieldError[];
  theirs?: Theirs | undefined;
};

const labels = { key: "Key", value: "Value" };

type FormProps = { frame: Frame; custom: CustomView; inputs: Record<"key" | "value", Input> };

/** The form for one custom key. */
export const CustomForm = ({ frame, custom, inputs }: FormProps) => {
  const { key, value, stamp, errors = [], theirs } = custom;
  const isNew = stamp === "none" && !theirs;
  return (
    <Form action={`${path}/custom`} token={frame.token} class="stack">
      <input type="hidden" name="stamp" value={stamp} />
      <ErrorSummary errors={errors} labels={labels} scope="custom" />
      {theirs && <ConflictNote />}
      {isNew ? (
        <Field
          {...inputs.key}
          label={labels.key}
          scope="custom"
          value={key}
          errors={errors}
          hint="Letters, digits, dots, hyphens and underscores. Must start with a letter."
          autocomplete="off"
          autofocus
        />
      ) : (
        <input type="hidden" name="key" value={key} />
      )}
      {theirs ? (
        <ConflictChoice name="value" label={key} mine={value} theirs={theirs} frame={frame} />
      ) : (
        <Field
          {...inputs.value}
          label={labels.value}
          scope="custom"
          value={value}
          errors={errors}
          lines={3}
          autofocus={!isNew}
        />
      )}
      <div class="note">
        <Icon name="triangle-alert" />
        <p>
          Anyone with an API key that may read settings can read this value. Keep passwords and keys on your own
          servers.
        </p>
      </div>
      <DialogFooter cancel={`${paths.siteSettings}#custom`}>{isNew ? "Add key" : "Save"}</DialogFooter>
    </Form>
  );
};
