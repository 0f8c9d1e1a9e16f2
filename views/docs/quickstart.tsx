import { CodeBlock, Prose } from "./endpoint";

/** A step of a quickstart: what to do, and the file or commands for it. */
export type Step = { id: string; title: string; text: string; file: string; code: string };

export const QuickstartGuide = ({ steps }: { steps: Step[] }) => (
  <>
    {steps.map(({ id, title, text, file, code }) => (
      <article id={id}>
        <div>
          <h2>
            <a class="anchor" href={`#${id}`}>
              {title}
            </a>
          </h2>
          <p>
            <Prose text={text} />
          </p>
        </div>
        <div class="beside">
          <p class="caption">{file}</p>
          <CodeBlock code={code} />
        </div>
      </article>
    ))}
  </>
);
