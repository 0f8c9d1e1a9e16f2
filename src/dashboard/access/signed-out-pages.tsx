import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import { ErrorSheet } from "../../../views/error";
import type { Deps } from "../deps";
import { described } from "../../platform/log";
import { page } from "../../http/response";
import { deviceCookie } from "../../security/cookies";
import { sessionCookie } from "../../security/session";
import { isFromOwnPage } from "../../security/forgery";
import { contextOf } from "../../platform/request-context";
import { paths } from "../../../views/paths";

/**
 * The signed-out pages: sign-in, setup, reset. There is no session yet and thus no form token, but requests that change
 * something must still come from one of our own pages (D37).
 */
export const signedOutPages = ({ config, log }: Deps) =>
  new Elysia({ prefix: paths.overview })
    .use(html({ autoDetect: false }))
    .onError(({ code, error, request }) => {
      if (error instanceof Response) return error;
      if (code === "NOT_FOUND") return;
      if (!isAllowed(config, request)) return crossSite();
      if (code === "PARSE")
        return page(<ErrorSheet title="The form could not be read" message="Go back and send it again." />, 400);
      const { id, pathname } = contextOf(request);
      log.error("failed", { id, method: request.method, path: pathname, ...described(error) });
      return page(
        <ErrorSheet title="Something went wrong" message="Nothing was changed. Try again." number={id} />,
        500,
      );
    })
    .onTransform(({ request }) => {
      if (!isAllowed(config, request)) throw crossSite();
    });

const isAllowed = (config: Deps["config"], request: Request) =>
  request.method === "GET" || isFromOwnPage(config, request);

const crossSite = () =>
  page(
    <ErrorSheet
      title="Request blocked"
      message="The request did not come from this dashboard. Reload the page and try again."
    />,
    403,
  );

/** Completes a sign-in: the browser gets its session and the cookie of a known device, and goes to `location`. */
export function completeSignIn(
  { config }: Deps,
  request: Request,
  { token, email }: { token: string; email: string },
  location: string,
) {
  const headers = new Headers({ location, "cache-control": "no-store" });
  headers.append("set-cookie", sessionCookie(token));
  headers.append("set-cookie", deviceCookie(config, email, request));
  return new Response(null, { status: 303, headers });
}
