import { expressLane } from "../api/express-lane";
import { api, fail } from "../api/envelope";
import { listPosts } from "../api/posts";
import { preparedAnswers } from "../api/prepared-answers";
import { listProjects } from "../api/projects";
import { readSettings } from "../api/settings";
import type { Deps } from "../deps";
import { frontDoor, notRouted } from "../front-door";
import { createMetrics } from "../metrics";
import { recorder } from "../recorder";
import { requireApiKey } from "../security/require-api-key";
import type { Turnstile } from "../security/turnstile";

/** What a worker answers by itself: it reads, changes nothing, and remembers nothing that another has to know. */
export const isForReader = ({ method, url }: Request) =>
  (method === "GET" || method === "HEAD") && /^[^/]*\/\/[^/]*\/api\/v1\/(posts|projects|settings)(\?|$)/.test(url);

/** The keyed lists behind a front door of their own. */
export function createReader(deps: Pick<Deps, "config" | "db" | "log" | "now">, turnstile: Turnstile) {
  const { config, db, log } = deps;
  const metrics = createMetrics();
  const answers = preparedAnswers(deps);
  const record = recorder({ log, metrics });
  const lists = api("/api/v1", log, requireApiKey(db, turnstile))
    .onError(({ code }) => (code === "NOT_FOUND" ? notRouted() : undefined))
    .use(listPosts(deps, answers))
    .use(listProjects(deps, answers))
    .use(readSettings(deps, answers));

  return {
    metrics,
    handle: frontDoor(() => lists, {
      config,
      log,
      record,
      express: expressLane({ answers, db, record, turnstile }),
      mayUpload: () => Promise.resolve(false),
      failure: (_, status, code, message) => fail(status, code, message),
    }),
  };
}
