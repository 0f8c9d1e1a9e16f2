import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../../components/icon";

export type Step = { title: string; isDone: boolean; hint: Child; link?: { href: string; text: string } };

/** What a new service needs set up. It disappears when everything is done. */
export function Checklist({ steps }: { steps: Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="card" aria-labelledby="checklist-title">
      <header>
        <h2 id="checklist-title">Set up</h2>
        <span class="hint">
          {done} of {steps.length} done
        </span>
      </header>
      <ol class="steps">
        {steps.map((step) => (
          <li class={step.isDone ? "done" : undefined}>
            <span class="mark">{step.isDone && <Icon name="check" />}</span>
            <div>
              <h3>
                {step.title}
                {step.isDone && <span class="sr"> (done)</span>}
              </h3>
              {!step.isDone && <p class="hint">{step.hint}</p>}
            </div>
            {!step.isDone && step.link && (
              <a class="btn sm" href={step.link.href}>
                {step.link.text}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
