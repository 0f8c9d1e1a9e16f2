import type { Child } from "../../jsx/jsx-runtime";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";

/** A step with one button: a link to where it is done, or a form that does it. */
export type Step = {
  title: string;
  isDone: boolean;
  hint: Child;
  link?: { href: string; text: string };
  form?: { action: string; fields: Record<string, string>; text: string };
};

/** The first steps of a new service. Disappears when all are done, or the manager hides it. */
export function Checklist({ frame, steps }: { frame: Frame; steps: Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="card" aria-labelledby="checklist-title">
      <header>
        <h2 id="checklist-title">First steps</h2>
        <div class="row">
          <span class="hint">
            {done} of {steps.length} done
          </span>
          <Form action={paths.firstSteps} token={frame.token} plain>
            <button type="submit" class="btn quiet sm" name="firstSteps" value="hidden">
              Hide
            </button>
          </Form>
        </div>
      </header>
      <ol class="steps">
        {steps.map((step) => (
          <Item frame={frame} step={step} />
        ))}
      </ol>
    </section>
  );
}

const Item = ({ frame, step }: { frame: Frame; step: Step }) => (
  <li class={step.isDone ? "done" : undefined}>
    <span class="mark">{step.isDone && <Icon name="check" />}</span>
    <div>
      <h3>
        {step.title}
        {step.isDone && <span class="sr"> (done)</span>}
      </h3>
      {!step.isDone && <p class="hint">{step.hint}</p>}
    </div>
    {!step.isDone && <Button frame={frame} step={step} />}
  </li>
);

const Button = ({ frame, step: { link, form } }: { frame: Frame; step: Step }) =>
  form ? (
    <Form action={form.action} token={frame.token} plain>
      {Object.entries(form.fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="btn sm">
        {form.text}
      </button>
    </Form>
  ) : link ? (
    <a class="btn sm" href={link.href}>
      {link.text}
    </a>
  ) : null;
