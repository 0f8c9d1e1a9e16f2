import { Article, CodeBlock, Prose } from "./endpoint";

/** A step of a quickstart: what to do, and the file or commands for it. */
export type Step = { id: string; title: string; text: string; file: string; code: string };

export const QuickstartGuide = ({ steps }: { steps: Step[] }) => (
  <>
    {steps.map(({ id, title, text, file, code }) => (
      <Article
        id={id}
        title={title}
        beside={
          <>
            <p class="caption">{file}</p>
            <CodeBlock code={code} />
          </>
        }
      >
        <p>
          <Prose text={text} />
        </p>
      </Article>
    ))}
  </>
);
