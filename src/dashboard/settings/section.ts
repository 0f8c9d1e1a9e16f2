import { stampOf, type Clash, type Wish } from "../../../db/settings/edit";
import * as settings from "../../../db/settings/settings";
import type { FieldError } from "../../../views/components/form";
import type { Theirs } from "../../../views/dashboard/clash";
import type { FieldView, SectionView } from "../../../views/dashboard/settings/settings";
import type { SettingField, SettingSection } from "./fields";

/** A section that was sent and not saved: it is shown again as it was typed. */
export type Typed = { fields: Record<string, string>; errors: FieldError[]; clashes?: Clash[] };

/** The section as it is saved, or as it was typed. */
export function sectionView(section: SettingSection, all: settings.Setting[], typed?: Typed): SectionView {
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
    fields: section.fields.map((field) => fieldView(field, own, typed)),
    errors: typed?.errors ?? [],
    lastChange: latest && { by: latest.updatedBy, at: latest.updatedAt },
  };
}

/** One such value locks the whole section: half a form would be a riddle. */
export const isForOwners = ({ fields }: SettingSection) => fields.some(({ key }) => settings.isForOwners(key));

/** A clash shows what they saved, with its stamp: who sends the form again has seen it. */
function fieldView({ schema: _, ...field }: SettingField, own: settings.Setting[], typed?: Typed): FieldView {
  const saved = own.find(({ key }) => key === field.key);
  const value = typed?.fields[field.key] ?? saved?.value ?? "";
  const clash = typed?.clashes?.find(({ key }) => key === field.key);
  const stamp = clash ? stampOf(clash.theirs) : (typed?.fields[`${field.key}.stamp`] ?? stampOf(saved));
  return { ...field, value, stamp, theirs: clash && theirsIn(clash) };
}

export const theirsIn = ({ theirs }: Clash): Theirs =>
  theirs ? { value: theirs.value, by: theirs.updatedBy ?? undefined, at: theirs.updatedAt } : { value: "" };

/** What a sent section asks for. Where the manager keeps what somebody else saved, it asks for nothing. */
export function wishesIn(section: SettingSection, fields: Record<string, string>) {
  const wishes: Wish[] = [];
  const errors: FieldError[] = [];
  for (const { key, schema } of section.fields) {
    if (!(key in fields) || fields[`${key}.keep`] === "theirs") continue;
    const { data, error } = schema.safeParse(fields[key]);
    if (error) errors.push({ field: key, message: error.issues[0]?.message ?? "is not valid" });
    else wishes.push({ key, value: data, stamp: fields[`${key}.stamp`] ?? "" });
  }
  return { wishes, errors };
}
