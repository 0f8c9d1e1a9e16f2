import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";
import { Choice } from "../../components/forms/choices";

/** Without htmx, because the theme applies to the whole page. */
export const Appearance = ({ frame }: { frame: Frame }) => (
  <Form action={`${paths.settings}/appearance`} token={frame.token} label="Appearance" class="card" plain guard>
    <div class="body">
      <div class="pair">
        <Choice
          name="theme"
          label="Theme"
          value={frame.preferences.theme}
          options={[
            ["system", "System"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
        />
        <Choice
          name="density"
          label="Density"
          value={frame.preferences.density}
          options={[
            ["compact", "Compact"],
            ["comfortable", "Comfortable"],
          ]}
        />
        <Choice
          name="shortcuts"
          label="Keyboard shortcuts"
          value={frame.preferences.shortcuts}
          options={[
            ["on", "On"],
            ["off", "Off"],
          ]}
        />
        <Choice
          name="firstSteps"
          label="First steps on Overview"
          value={frame.preferences.firstSteps}
          options={[
            ["shown", "Show until they are done"],
            ["hidden", "Hide"],
          ]}
        />
      </div>
      <div class="save">
        <button type="submit" class="btn" id="save-appearance">
          Save
        </button>
      </div>
    </div>
  </Form>
);
