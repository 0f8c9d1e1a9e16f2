import type { FieldError } from "../../components/forms/field-errors";
import { statusNames } from "./row";

/** A project as its form has it. */
export type ProjectDraft = {
  title: string;
  slug: string;
  description: string;
  imageUrl: string;
  liveUrl: string;
  githubUrl: string;
  tech: string;
  author: string;
  featured: "yes" | "";
  status: keyof typeof statusNames;
};

export type ProjectFormView = {
  /** Undefined for a new one. */
  id?: string | undefined;
  draft: ProjectDraft;
  /** The version that is being edited, and its values. */
  version: number;
  was: ProjectDraft;
  errors?: FieldError[] | undefined;
  /** `was`: what someone else saved in the meantime; `touched`: the fields changed here. */
  theirs?: { at: Date; touched: string[] } | undefined;
};
