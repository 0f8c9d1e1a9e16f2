export const Introduction = () => (
  <header>
    <h1>API reference</h1>
    <p class="lead">
      Newsletter, contact, content and uploads over HTTP. This page and the{" "}
      <a href="/openapi.json">OpenAPI 3.1 document</a> are generated from the routes.
    </p>
    <dl class="basics">
      <dt>Responses</dt>
      <dd>
        Every JSON response has the same envelope: <code>success</code>, <code>data</code> and <code>error</code>. On
        failure, <code>error</code> holds a <code>code</code> for programs and a <code>message</code> for people.
      </dd>
      <dt>Authentication</dt>
      <dd>
        Paths under <code>/api/v1</code> require the <code>x-api-key</code> header. Create keys in the dashboard. Use
        them on servers only, never in browser code.
      </dd>
      <dt>Rate limits</dt>
      <dd>
        Rate-limited responses carry a <code>RateLimit</code> header with the remaining quota. A 429 response tells you
        in <code>Retry-After</code> how long to wait.
      </dd>
      <dt>Help</dt>
      <dd>
        Every response carries <code>X-Request-Id</code>. Quote it when you ask for help.
      </dd>
    </dl>
  </header>
);
