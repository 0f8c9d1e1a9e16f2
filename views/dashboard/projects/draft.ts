import type { FieldError } from "../../components/forms/field-errors";
import { statusNames } from "./row";

/** A project as a form has it. */
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
  /** None yet for a new one. */
  id?: string | undefined;
  draft: ProjectDraft;
  /** The version that is being edited, and what it says. */
  version: number;
  was: ProjectDraft;
  errors?: FieldError[] | undefined;
  /** `was` is what somebody else saved meanwhile; `touched` are the fields that were changed here. */
  theirs?: { at: Date; touched: string[] } | undefined;
};
