import { PreviewPane } from "./preview";
import { About, type FormView } from "./fields";

type View = "write" | "preview" | "details";

/** Fields beside the text's column; errors of the others are shown with the details. */
const withText = ["title", "content"];

/** What is shown at first beside the text, or instead of it on a narrow screen. */
export const firstView = ({ errors = [] }: FormView): View =>
  errors.some(({ field }) => !withText.includes(field)) ? "details" : "write";

const names: Record<View, string> = { write: "Write", preview: "Preview", details: "Details" };

type SwitchProps = { id: string; label: string; views: readonly View[]; shown: View };

const Switch = ({ id, label, views, shown }: SwitchProps) => (
  <div class="segments with-script" role="group" aria-label={label} id={id}>
    {views.map((view) => (
      <button type="button" id={`${id}-${view}`} data-view={view} aria-pressed={view === shown ? "true" : "false"}>
        {names[view]}
      </button>
    ))}
  </div>
);

/** Switches between text, preview and details, if there is no room for two of them. */
export const ViewSwitch = ({ shown }: { shown: View }) => (
  <Switch id="view" label="Show" views={["write", "preview", "details"]} shown={shown} />
);

/** What is beside the text: its preview, or the details of the post. */
export const Beside = ({ view, shown }: { view: FormView; shown: View }) => (
  <div class="beside">
    <Switch
      id="beside"
      label="Beside the text"
      views={["preview", "details"]}
      shown={shown === "details" ? shown : "preview"}
    />
    <PreviewPane />
    <About view={view} />
  </div>
);
