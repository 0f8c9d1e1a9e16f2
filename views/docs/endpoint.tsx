import type { Child } from "../jsx/jsx-runtime";

export type Field = { name: string; place: string; required: boolean; description?: string | undefined; rule: string };

export function Fields({ title, fields }: { title: string; fields: Field[] }) {
  if (!fields.length) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="fields">
        {fields.map(({ name, place, required, description, rule }) => (
          <div>
            <dt>
              <code>{name}</code> {place !== "body" && <span class="place">{place}</span>}{" "}
              {required && <span class="required">required</span>}
            </dt>
            <dd>
              {rule}
              {rule && description && ". "}
              {description && <Prose text={description} />}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Names in backticks become code: the document's texts are CommonMark. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split("`").map((piece, at) => (at % 2 ? <code>{piece}</code> : piece))}</>
);

export type Status = {
  code: string;
  description: string;
  type: string | undefined;
  /** JSON of a success. */
  sample: string | undefined;
  /** The codes that a failure with this status may have. */
  errors: string[];
};
/** The same request in one language. */
export type Sample = { language: "HTML" | "curl" | "TypeScript" | "Python" | "Go"; code: string };
export type Endpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description?: string | undefined;
  isKeyed: boolean;
  parameters: Field[];
  body: Field[];
  samples: Sample[];
  /** The status whose example is shown beside the request. */
  example: Status | undefined;
  statuses: Status[];
};

type ArticleProps = { id: string; title: Child; beside?: Child; children?: Child };

/** A part of a page: its heading, which is a link to itself, what it says, and what there is beside that. */
export const Article = ({ id, title, beside, children }: ArticleProps) => (
  <article id={id} class={beside ? undefined : "prose"}>
    <div>
      <h2>
        <a class="anchor" href={`#${id}`}>
          {title}
        </a>
      </h2>
      {children}
    </div>
    {beside && <div class="beside">{beside}</div>}
  </article>
);

/** One endpoint: parameters and responses, and beside them an example. */
export const EndpointArticle = ({ endpoint }: { endpoint: Endpoint }) => (
  <article id={endpoint.id}>
    <div>
      <h2>
        <a class="anchor" href={`#${endpoint.id}`}>
          {endpoint.summary}
        </a>
      </h2>
      <p class="route">
        <Method name={endpoint.method} />
        <code>{endpoint.path}</code>
        {endpoint.isKeyed && <span class="key">API key</span>}
      </p>
      {endpoint.description && (
        <p>
          <Prose text={endpoint.description} />
        </p>
      )}
      <Fields title="Parameters" fields={endpoint.parameters} />
      <Fields title="Request body" fields={endpoint.body} />
      <h3>Responses</h3>
      <ul class="statuses">
        {endpoint.statuses.map((status) => (
          <li>
            <StatusLine status={status} isShown={status === endpoint.example} />
          </li>
        ))}
      </ul>
    </div>
    <div class="beside">
      <Samples id={endpoint.id} samples={endpoint.samples} />
      {endpoint.example?.sample && (
        <>
          <p class="caption">
            <Code code={endpoint.example.code} /> <Prose text={endpoint.example.description} />
          </p>
          <CodeBlock code={endpoint.example.sample} />
        </>
      )}
    </div>
  </article>
);

/** A script adds a button that copies the code. */
export const CodeBlock = ({ code }: { code: string }) => (
  <div class="block">
    <pre tabindex="0">{code}</pre>
  </div>
);

/** The languages as tabs. They are radio buttons, so that no script is needed; a script remembers the choice. */
export function Samples({ id, samples }: { id: string; samples: Sample[] }) {
  const [first, ...others] = samples;
  if (!first) return null;
  if (!others.length) return <CodeBlock code={first.code} />;
  return (
    <fieldset class="block tabs">
      <legend class="unseen">Language</legend>
      {samples.map(({ language }) => (
        <label>
          <input type="radio" name={`language-${id}`} value={language} checked={language === first.language} />
          {language}
        </label>
      ))}
      {samples.map(({ language, code }) => (
        <pre tabindex="0" data-language={language}>
          {code}
        </pre>
      ))}
    </fieldset>
  );
}

/** Expands to its body, if that is not shown beside the request already. */
const StatusLine = ({ status, isShown }: { status: Status; isShown: boolean }) =>
  status.sample && !isShown ? (
    <details>
      <summary>
        <Code code={status.code} /> <Prose text={status.description} />
      </summary>
      <CodeBlock code={status.sample} />
    </details>
  ) : (
    <p>
      <Code code={status.code} /> <Prose text={status.description} />{" "}
      {status.type === "text/html" && <span class="place">HTML page</span>}
      {status.errors.map((code) => (
        <>
          {" "}
          <a class="place" href={`/docs/errors#${code}`}>
            {code}
          </a>
        </>
      ))}
    </p>
  );

export const Code = ({ code }: { code: string }) => <code class={`code code-${code[0]}`}>{code}</code>;

export const Method = ({ name }: { name: string }) => <span class={`method method-${name.toLowerCase()}`}>{name}</span>;
