import type { Field } from "../../../db/newsletter/field-values";
import { Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Menu, MenuLink } from "../../components/lists/row-actions";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { People } from "./topics";
import { CreateLink, Crumb, Head } from "../shell";

export const path = paths.fields;

/** A field, with its type in words and how many people have a value. */
type CountedField = Pick<Field, "id" | "key" | "name" | "options"> & { typeLabel: string; people: number };

export const FieldsHead = () => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head
      title="Fields"
      lead="What you keep of people beyond name, source and language. Imports, programs and managers fill them in; visitors cannot."
    >
      <CreateLink id="add" href={`${path}/new`} isDialog>
        Add field
      </CreateLink>
    </Head>
  </>
);

const columns: Column<CountedField>[] = [
  {
    title: "Field",
    kind: "main",
    cell: ({ name, key }) => (
      <>
        <span class="who">{name}</span>
        <span class="sub mono">{key}</span>
      </>
    ),
  },
  {
    title: "Type",
    kind: "state",
    cell: ({ typeLabel, options }) =>
      options ? `${typeLabel}: ${options.map((option) => option.name).join(", ")}` : typeLabel,
  },
  { title: "In an email", kind: "extra mono", cell: ({ key }) => `{${key}}` },
  { title: "People", kind: "when num-start", cell: ({ people }) => <People people={people} /> },
];

export const FieldList = ({ fields }: { fields: CountedField[] }) =>
  fields.length === 0 ? (
    <EmptyList label="Fields" drawing="labels" title="No fields yet">
      <p>Up to ten, such as a city or the day of the last order.</p>
    </EmptyList>
  ) : (
    <section class="list fields" id="list" aria-label="Fields">
      <ColumnTable caption="Fields" columns={columns} rows={fields} actions={(field) => <Actions field={field} />} />
    </section>
  );

const Actions = ({ field: { id, name } }: { field: CountedField }) => (
  <Menu id={id} label={`Actions for ${name}`}>
    <MenuLink id={`edit-${id}`} href={`${path}/${id}/edit`} icon="pencil">
      Edit…
    </MenuLink>
    <MenuLink id={`delete-${id}`} href={`${path}/${id}/delete`} icon="trash-2" hotkey="#">
      Delete…
    </MenuLink>
  </Menu>
);

type FormProps = { frame: Frame; form: FormState; action: string; verb: string };

export const FieldForm = ({ frame, form, action, verb }: FormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <Fields scope="field" {...form} />
    <DialogFooter cancel={path}>{verb}</DialogFooter>
  </Form>
);
