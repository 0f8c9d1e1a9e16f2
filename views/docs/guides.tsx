import { Article, Code, CodeBlock, type Field, Fields, Prose, type Sample, Samples } from "./endpoint";

/** An event of a webhook. */
export type Event = { id: string; type: string; summary: string; fields: Field[]; payload: string };

type Webhooks = { headers: Field[]; events: Event[]; verification: Sample[] };

export const WebhooksGuide = ({ headers, events, verification }: Webhooks) => (
  <>
    <Verifying headers={headers} verification={verification} />
    <Delivery />
    {events.map(({ id, type, summary, fields, payload }) => (
      <Article id={id} title={<code>{type}</code>} beside={<CodeBlock code={payload} />}>
        <p>{summary}.</p>
        <Fields title="data" fields={fields} />
      </Article>
    ))}
  </>
);

const Verifying = ({ headers, verification }: Omit<Webhooks, "events">) => (
  <Article id="verify" title="Verifying a call" beside={<Samples id="verify" samples={verification} />}>
    <p>
      Add an endpoint in the dashboard under Webhooks, or with <code>webhooks add</code>. The signing secret (
      <code>whsec_…</code>) is shown once. Calls follow Standard Webhooks: the signature is an HMAC-SHA256 of{" "}
      <code>id.timestamp.body</code>, in Base64.
    </p>
    <p>
      Verify the bytes you received, not JSON that was parsed and serialised again. Refuse calls older than five
      minutes. During a rotation there are two signatures, one for each secret.
    </p>
    <Fields title="Headers" fields={headers} />
  </Article>
);

const Delivery = () => (
  <article id="delivery">
    <div>
      <h2>
        <a class="anchor" href="#delivery">
          Delivery
        </a>
      </h2>
      <ul class="facts">
        <li>
          A response with a 2xx status within 15 seconds is a success. Everything else is a failure, including a
          redirect. If the work takes longer, respond first.
        </li>
        <li>
          There are up to 10 attempts: immediately, then after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, each ± 10
          %. <code>Retry-After</code> can make a delay longer, up to 24 h.
        </li>
        <li>
          Every attempt of a delivery has the same <code>webhook-id</code>. Remember the IDs you have processed, and
          ignore repetitions.
        </li>
        <li>
          An endpoint gets one call at a time, the oldest first. Retries change the order: <code>timestamp</code> in the
          body says when the event happened.
        </li>
        <li>
          A 410 response turns the endpoint off. So do 5 days without a success. In both cases the owner receives an
          email.
        </li>
        <li>
          Calls go only to the public Internet, over HTTPS. Hosts in your own network, which may also use HTTP, are
          listed in <code>WEBHOOK_PRIVATE_HOSTS</code> where Postroom runs.
        </li>
        <li>
          Names, email addresses and messages are left out unless the endpoint was added with <code>--with-people</code>
          .
        </li>
      </ul>
    </div>
  </article>
);

/** A code of D5: what it means and what to do. */
export type ErrorInfo = { code: string; statuses: string[]; meaning: string; remedy: string; sample: string };

export const ErrorsGuide = ({ errors }: { errors: ErrorInfo[] }) => (
  <>
    {errors.map(({ code, statuses, meaning, remedy, sample }) => (
      <Article id={code} title={<code>{code}</code>} beside={<CodeBlock code={sample} />}>
        <p class="route">
          {statuses.map((status) => (
            <Code code={status} />
          ))}
        </p>
        <p>
          <Prose text={meaning} />
        </p>
        <p>
          <Prose text={remedy} />
        </p>
      </Article>
    ))}
  </>
);

export type LimitGroup = { id: string; title: string; text: string; limits: { what: string; limit: string }[] };

export const LimitsGuide = ({ groups }: { groups: LimitGroup[] }) => (
  <>
    {groups.map(({ id, title, text, limits }) => (
      <Article
        id={id}
        title={title}
        beside={
          <dl class="fields">
            {limits.map(({ what, limit }) => (
              <div>
                <dt>{what}</dt>
                <dd>
                  <Prose text={limit} />
                </dd>
              </div>
            ))}
          </dl>
        }
      >
        <p>
          <Prose text={text} />
        </p>
      </Article>
    ))}
  </>
);

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
