import { Field } from "../../components/forms/field";
import type { Frame } from "../../components/frame";
import type { Child } from "../../jsx/jsx-runtime";
import { ConflictChoice } from "../conflict";
import { statusNames } from "./row";
import { Check } from "../../components/forms/check";
import { Choice } from "../../components/forms/choices";
import type { ProjectFormView, ProjectDraft } from "./draft";
import { ChoosePicture } from "../posts/choose-picture";

export type Props = { view: ProjectFormView; frame: Frame };
type Name = keyof ProjectDraft;

export const labels: Record<Name, string> = {
  title: "Title",
  slug: "Slug",
  description: "Description",
  imageUrl: "Image",
  liveUrl: "Live URL",
  githubUrl: "Source code URL",
  tech: "Tech stack",
  author: "Author",
  featured: "Featured",
  status: "Status",
};

type TextProps = Props & { name: Exclude<Name, "featured" | "status"> } & Omit<
    Parameters<typeof Field>[0],
    "name" | "label"
  >;

/** A field, or the choice between two values if someone else changed it too. */
function OrConflict({ view, frame, name, children }: Props & { name: Name; children: Child }) {
  const { draft, was, theirs } = view;
  if (!theirs || draft[name] === was[name]) return <>{children}</>;
  const prefer = theirs.touched.includes(name) ? "mine" : "theirs";
  const saved = { value: was[name], at: theirs.at };
  return (
    <ConflictChoice name={name} label={labels[name]} mine={draft[name]} theirs={saved} prefer={prefer} frame={frame} />
  );
}

const Text = ({ view, frame, name, ...field }: TextProps) => (
  <OrConflict view={view} frame={frame} name={name}>
    <Field
      name={name}
      label={labels[name]}
      value={view.draft[name]}
      scope="project"
      errors={view.errors ?? []}
      {...field}
    />
  </OrConflict>
);

export const Fields = (props: Props) => (
  <>
    <Text {...props} name="title" required maxlength={200} />
    <Text {...props} name="slug" maxlength={100} hint="Used in URLs. Leave empty to create it from the title." />
    <Text {...props} name="description" lines={4} maxlength={2_000} />
    <div class="pair">
      <Text
        {...props}
        name="liveUrl"
        type="url"
        maxlength={2_000}
        hint="Where visitors are sent. Clicks are counted."
      />
      <Text {...props} name="githubUrl" type="url" maxlength={2_000} />
    </div>
    <div class="cover">
      <Text {...props} name="imageUrl" maxlength={2_000} hint="Image from Storage, or a URL." />
      {!props.view.theirs && <ChoosePicture id="choose-image" wanted="project-imageUrl" />}
    </div>
    <div class="pair">
      <Text {...props} name="tech" hint="Separate entries with commas: SVG, htmx." />
      <Text {...props} name="author" maxlength={100} />
    </div>
    <Status {...props} />
    <Featured {...props} />
  </>
);

const Status = (props: Props) => (
  <OrConflict {...props} name="status">
    <Choice
      name="status"
      label={labels.status}
      value={props.view.draft.status}
      scope="project"
      options={(["DRAFT", "PUBLISHED", "ARCHIVED"] as const).map((status) => [status, statusNames[status]] as const)}
      hint="Only published projects appear on your sites."
    />
  </OrConflict>
);

const Featured = (props: Props) => (
  <OrConflict {...props} name="featured">
    <Check
      name="featured"
      label="Featured"
      hint="Shown before all other projects."
      checked={props.view.draft.featured === "yes"}
      scope="project"
    />
  </OrConflict>
);
