import * as settings from "../../../db/settings/settings";
import * as keyRules from "../../../db/settings/rules";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Theirs } from "../../../views/dashboard/conflict";
import { inputOf } from "../../fields/field";
import type { SettingField, SettingSection } from "./fields";
import type { FieldView, SectionView } from "../../../views/dashboard/settings/section";

/** A section that was sent but not saved: it is shown again as typed. */
export type UnsavedSection = { fields: Record<string, string>; errors: FieldError[]; conflicts?: settings.Conflict[] };

/** The section as saved, or as typed. */
export function sectionView(section: SettingSection, all: settings.Setting[], unsaved?: UnsavedSection): SectionView {
  const own = all.filter(({ key }) => section.fields.some((field) => field.key === key));
  const latest = own.reduce<settings.Setting | undefined>(
    (a, b) => (a && a.updatedAt >= b.updatedAt ? a : b),
    undefined,
  );
  return {
    id: section.id,
    title: section.title,
    about: section.about,
    isForOwners: isForOwners(section),
    fields: section.fields.map((field) => fieldView(field, own, unsaved)),
    errors: unsaved?.errors ?? [],
    lastChange: latest && { by: latest.updatedBy, at: latest.updatedAt },
  };
}

/** One value for owners locks the whole section: a half-editable form would be confusing. */
export const isForOwners = ({ fields }: SettingSection) => fields.some(({ key }) => keyRules.isForOwners(key));

/** After a conflict, the field shows the other value with its stamp: someone who sends the form again has seen it. */
function fieldView(
  { schema, initial = "", ...field }: SettingField,
  own: settings.Setting[],
  unsaved?: UnsavedSection,
): FieldView {
  const saved = own.find(({ key }) => key === field.key);
  const value = unsaved?.fields[field.key] ?? saved?.value ?? initial;
  const conflict = unsaved?.conflicts?.find(({ key }) => key === field.key);
  const stamp = conflict
    ? settings.stampOf(conflict.theirs)
    : (unsaved?.fields[`${field.key}.stamp`] ?? settings.stampOf(saved));
  return {
    ...field,
    maxlength: inputOf(field.key, schema).maxlength,
    value,
    stamp,
    theirs: conflict && theirsIn(conflict),
  };
}

export const theirsIn = ({ theirs }: settings.Conflict): Theirs =>
  theirs ? { value: theirs.value, by: theirs.updatedBy ?? undefined, at: theirs.updatedAt } : { value: "" };

/** Returns what a sent section changes. Fields for which the manager keeps someone else's value change nothing. */
export function changesIn(section: SettingSection, fields: Record<string, string>) {
  const changes: settings.SettingChange[] = [];
  const errors: FieldError[] = [];
  for (const { key, schema } of section.fields) {
    if (!(key in fields) || fields[`${key}.keep`] === "theirs") continue;
    const { data, error } = schema.safeParse(fields[key]);
    if (error) errors.push({ field: key, message: error.issues[0]?.message ?? "is not valid" });
    else changes.push({ key, value: data, stamp: fields[`${key}.stamp`] ?? "" });
  }
  return { changes, errors };
}
