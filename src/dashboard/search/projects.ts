import { byId } from "../../../db/projects/edit";
import * as projectList from "../../../db/projects/list";
import type { Project } from "../../../db/projects/projects";
import { statusNames } from "../../../views/dashboard/projects/row";
import { paths } from "../../../views/paths";
import { asResults, listWith, type Subject } from "./subject";

const path = paths.projects;

const resultOf = ({ id, title, status }: Project) => ({
  icon: "layers",
  title,
  sub: `Project, ${statusNames[status].toLowerCase()}`,
  href: `${path}/${id}`,
});

export const projects: Subject = {
  id: "projects",
  name: "Projects",
  path,
  listOf: listWith(path),
  find: async ({ db }, _, q, limit) => asResults(await projectList.list(db, { q }, { page: 1, per: limit }), resultOf),
  one: async ({ db }, _, id) => {
    const project = await byId(db, id);
    return project && !project.deletedAt ? resultOf(project) : undefined;
  },
};
