import { Choice } from "../../components/forms/choices";
import type { FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { dateStyles, exact } from "../../components/time";
import { paths } from "../../paths";

export type TimesView = {
  /** The chosen value; "" follows the browser. */
  chosen: string;
  /** The browser's value, if it sent one. */
  browser: string | undefined;
  all: string[];
};

const spaced = (zone: string) => zone.replaceAll("_", " ");

/** The time zone and format in which the dashboard shows times. */
export const Times = ({ frame, errors, times }: { frame: Frame; errors: FieldError[]; times: TimesView }) => (
  <section class="card" aria-labelledby="times">
    <header>
      <h2 id="times">Dates and times</h2>
    </header>
    <Form action={`${paths.account}/times`} token={frame.token} class="body" plain>
      <Choice
        name="timeZone"
        label="Time zone"
        value={times.chosen}
        options={[
          ["", times.browser ? `Same as the browser (${spaced(times.browser)})` : "Same as the browser"],
          ...times.all.map((zone) => [zone, spaced(zone)] as const),
        ]}
        errors={errors}
        hint={`It is ${exact(frame.now, frame.preferences)} there now.`}
      />
      <Choice
        name="dates"
        label="Date format"
        value={frame.preferences.dates}
        options={dateStyles.map((dates) => [dates, exact(frame.now, { ...frame.preferences, dates })] as const)}
        errors={errors}
      />
      <footer>
        <button type="submit" class="btn">
          Save dates and times
        </button>
      </footer>
    </Form>
  </section>
);
