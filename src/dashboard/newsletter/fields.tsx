import { z } from "zod";
import { joinNames } from "../../../db/lib/text";
import type { Field } from "../../../db/newsletter/field-values";
import { addField, allFields, countsOfFields, deleteField, editField, maxFields } from "../../../db/newsletter/fields";
import { Confirm } from "../../../views/components/confirm";
import type { FormState } from "../../../views/components/forms/fields";
import { plural } from "../../../views/components/list";
import { FieldForm, FieldList, FieldsHead, path } from "../../../views/dashboard/newsletter/fields";
import { FieldFields, fieldTypeLabel, NewFieldFields } from "../../fields/audience";
import { inputsOf } from "../../fields/field";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { showDialog } from "../responses";

const newInputs = inputsOf(NewFieldFields);
const { name: nameInput, options: optionsInput } = inputsOf(FieldFields);
const inputsFor = ({ type }: Field) => (type === "choice" ? { nameInput, optionsInput } : { nameInput });

const { show, doneWith } = listHandlers({
  path,
  title: "Fields",
  Query: z.object({}),
  Head: () => <FieldsHead />,
  list: async ({ deps }) => <FieldList fields={await countedFields(deps)} />,
});

const countedFields = ({ db }: Deps) =>
  db.read(async (orm) => {
    const people = await countsOfFields(orm);
    return (await allFields(orm)).map((field) => ({
      ...field,
      typeLabel: fieldTypeLabel(field.type),
      people: people.get(field.row) ?? 0,
    }));
  });

/** `/dashboard/newsletter/fields`: what a site keeps of its people. */
export const fieldsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => newForm(deps, request, { inputs: newInputs }))
    .post("/", ({ request, body }) => add(deps, request, body))
    .get("/:id/edit", ({ request, params: { id } }) => askToEdit(deps, request, id))
    .post("/:id/edit", ({ request, params: { id }, body }) => save(deps, request, id, body))
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(deps, request, id))
    .post("/:id/delete", ({ request, params: { id } }) => remove(deps, request, id));

const gone = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "This field has already been deleted." });

const byId = async ({ db }: Deps, id: string) => (await db.read(allFields)).find((field) => field.id === id);

async function newForm(deps: Deps, request: Request, form: FormState) {
  const frame = await frameOf(deps, request);
  const children = <FieldForm frame={frame} form={form} action={path} verb="Add field" />;
  return showDialog(request, { frame, title: "Add field", status: form.errors ? 422 : 200, children });
}

async function add(deps: Deps, request: Request, body: unknown) {
  const values = textFields.parse(body);
  const { input, errors } = readForm(NewFieldFields, { options: "", ...values });
  if (errors) return newForm(deps, request, { inputs: newInputs, values, errors });
  if (input.type === "choice" && !input.options.length) {
    const problems = [{ field: "options", message: "Enter the choices, separated by commas." }];
    return newForm(deps, request, { inputs: newInputs, values, errors: problems });
  }
  const saved = await addField(deps.db, input, actorOf(request), deps.now());
  if (saved.outcome === "saved") return doneWith(deps, request, { kind: "good", text: `Field “${input.name}” added.` });
  const message = saved.outcome === "full" ? `A site can have ${maxFields} fields.` : "There is a field with this key.";
  return newForm(deps, request, { inputs: newInputs, values, errors: [{ field: "key", message }] });
}

async function editForm(deps: Deps, request: Request, field: Field, state: Omit<FormState, "inputs">) {
  const frame = await frameOf(deps, request);
  const form = { inputs: inputsFor(field), ...state };
  const children = <FieldForm frame={frame} form={form} action={`${path}/${field.id}/edit`} verb="Save" />;
  return showDialog(request, { frame, title: `Edit ${field.name}`, status: state.errors ? 422 : 200, children });
}

async function askToEdit(deps: Deps, request: Request, id: string) {
  const field = await byId(deps, id);
  if (!field) return gone(deps, request);
  const options = joinNames((field.options ?? []).map((option) => option.name));
  return editForm(deps, request, field, { values: { name: field.name, options } });
}

async function save(deps: Deps, request: Request, id: string, body: unknown) {
  const field = await byId(deps, id);
  if (!field) return gone(deps, request);
  const values = textFields.parse(body);
  const { input, errors } = readForm(FieldFields, { options: "", ...values });
  if (errors) return editForm(deps, request, field, { values, errors });
  const saved = await editField(deps.db, { id, ...input }, actorOf(request), deps.now());
  if (saved.outcome === "saved") return doneWith(deps, request, { kind: "good", text: `Field “${input.name}” saved.` });
  if (saved.outcome !== "in-use") return gone(deps, request);
  const message = `Someone has “${saved.option}”, so it cannot be taken away. Change their value first.`;
  return editForm(deps, request, field, { values, errors: [{ field: "options", message }] });
}

async function askToDelete(deps: Deps, request: Request, id: string) {
  const [frame, fields] = await Promise.all([frameOf(deps, request), countedFields(deps)]);
  const field = fields.find((each) => each.id === id);
  if (!field) return gone(deps, request);
  return showDialog(request, {
    frame,
    title: `Delete the field “${field.name}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete field" cancel={path}>
        <p>
          {field.people === 0
            ? "No one has a value. "
            : `The values of ${plural(field.people, "person", "people")} are deleted with it. `}
          Texts that name it no longer work. This cannot be undone.
        </p>
      </Confirm>
    ),
  });
}

async function remove(deps: Deps, request: Request, id: string) {
  const field = await deleteField(deps.db, id, actorOf(request), deps.now());
  if (field === "used") {
    const text = "A segment, or a broadcast that is not sent yet, names this field. Change that first.";
    return doneWith(deps, request, { kind: "bad", text });
  }
  return field
    ? doneWith(deps, request, { kind: "good", text: `Field “${field.name}” deleted.` })
    : gone(deps, request);
}
