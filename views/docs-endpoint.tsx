import { type Field, Fields, Prose } from "./docs-fields";

export type Status = {
  code: string;
  description: string;
  headers: string[];
  type: string | undefined;
  sample: string | undefined;
};
export type Endpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description?: string | undefined;
  isKeyed: boolean;
  parameters: Field[];
  body: Field[];
  curl: string;
  /** The status whose example is shown below the request. */
  example: Status | undefined;
  statuses: Status[];
};

/** One endpoint: parameters, an example, and responses. */
export const EndpointArticle = ({ endpoint }: { endpoint: Endpoint }) => (
  <article id={endpoint.id}>
    <h3>
      <a class="anchor" href={`#${endpoint.id}`}>
        {endpoint.summary}
      </a>
    </h3>
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
    <h4>Example</h4>
    <pre tabindex="0">{endpoint.curl}</pre>
    {endpoint.example?.sample && (
      <>
        <p class="caption">
          {endpoint.example.code} <Prose text={endpoint.example.description} />
        </p>
        <pre tabindex="0">{endpoint.example.sample}</pre>
      </>
    )}
    <h4>Responses</h4>
    <ul class="statuses">
      {endpoint.statuses.map((status) => (
        <li>
          <StatusLine status={status} isShown={status === endpoint.example} />
        </li>
      ))}
    </ul>
  </article>
);

/** Expands to its body, if that is JSON and not shown above already. */
const StatusLine = ({ status: { code, description, type, sample }, isShown }: { status: Status; isShown: boolean }) =>
  sample && !isShown ? (
    <details>
      <summary>
        <Code code={code} /> <Prose text={description} />
      </summary>
      <pre tabindex="0">{sample}</pre>
    </details>
  ) : (
    <p>
      <Code code={code} /> <Prose text={description} /> {type === "text/html" && <span class="place">HTML page</span>}
    </p>
  );

const Code = ({ code }: { code: string }) => <code class={`code code-${code[0]}`}>{code}</code>;

export const Method = ({ name }: { name: string }) => <span class={`method method-${name.toLowerCase()}`}>{name}</span>;
