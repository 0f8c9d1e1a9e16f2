import { Elysia } from "elysia";
import { z } from "zod";
import * as projects from "../../db/projects/projects";
import type { Deps } from "./deps";
import { pageSize } from "../http/request-schemas";
import { limited, notModified, redirect, success, visitorParameters } from "../openapi/responses";
import { needs } from "../openapi/scopes";
import { onBehalfOfVisitors } from "../security/visitors";
import { contextOf } from "../platform/request-context";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { api, fail } from "./envelope";
import type { PreparedResponses } from "./prepared-responses";

const ListProjects = z.object({
  featured: z
    .enum(["true", "false"], "must be true or false")
    .optional()
    .meta({ description: "`true`: featured projects only; `false`: all others." }),
  limit: pageSize(50),
  cursor: cursor(z.tuple([z.literal([0, 1]), z.int(), z.int().min(0).max(8.64e15), z.string().max(100)]), 500),
});

/** Published projects (spec 4.5). */
export const listProjects = ({ config, db }: Pick<Deps, "config" | "db">, { respond }: PreparedResponses) => {
  const url = `${config.BASE_URL}/api/v1/projects`;

  return new Elysia().get(
    "/projects",
    ({ query, request }) =>
      respond("projects", request, async () => {
        const { cursor: position, featured, limit } = query;
        const page = { featured: featured && featured === "true", limit, after: position && after(position) };
        const { projects: items, total, next } = await projects.listPublished(db, page);
        return {
          data: { count: items.length, projects: items.map(({ displayOrder: _, ...project }) => project) },
          headers: {
            ...hintFor(request, ListProjects.shape),
            ...pageHeaders(url, total, next && { featured, limit, cursor: cursorTo(next) }),
          },
        };
      }),
    {
      query: ListProjects,
      detail: {
        operationId: "listProjects",
        security: needs("content:read"),
        summary: "List published projects",
        description: "Featured projects first, then in the managers’ order, then newest first.",
        responses: { 200: success("ProjectList", "Projects."), ...notModified },
      },
    },
  );
};

/** One published project, with the same fields as in the list. */
export const readProject = ({ db }: Pick<Deps, "db">, { respond }: PreparedResponses) =>
  new Elysia().get(
    "/projects/:slug",
    async ({ params: { slug }, request }) => {
      const project = await projects.bySlug(db, slug);
      if (!project) return fail(404, "NOT_FOUND", "Project not found.");
      const { displayOrder: _, ...data } = project;
      return respond("projects", request, async () => ({ data }));
    },
    {
      detail: {
        operationId: "getProject",
        security: needs("content:read"),
        summary: "Read a project",
        description: "Drafts and archived projects return 404.",
        responses: { 200: success("Project", "The project."), ...notModified },
      },
    },
  );

const cursorTo = ({ featured, displayOrder, createdAt, id }: projects.Position) =>
  cursorAfter([Number(featured), displayOrder, createdAt.getTime(), id]);

const after = ([featured, displayOrder, createdAt, id]: [number, number, number, string]): projects.Position => ({
  featured: featured === 1,
  displayOrder,
  createdAt: new Date(createdAt),
  id,
});

/** Redirects to the project's own site, and counts the click (D26). */
export const visitProject = (deps: Deps) =>
  api("/api/projects", deps.log, onBehalfOfVisitors(deps, "view")).get(
    "/:slug/visit",
    async ({ params, request }) => {
      const { counters, db } = deps;
      const project = await projects.bySlug(db, params.slug);
      const location = project && webAddress(project.liveUrl);
      if (!location) return fail(404, "NOT_FOUND", "Project not found, or it has no live URL.");
      counters.clicked(project.id, contextOf(request));
      return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
    },
    {
      detail: {
        operationId: "visitProject",
        summary: "Visit a project",
        parameters: visitorParameters,
        description: "Counts a click (once a day per visitor) and redirects.",
        responses: { 302: redirect("Redirect to the project’s live URL."), ...limited },
      },
    },
  );

/** Returns the URL if it is safe to redirect a browser to: never javascript:, data: or the like. */
function webAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return;
  const { href, protocol } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}
