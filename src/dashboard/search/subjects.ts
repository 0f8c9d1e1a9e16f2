import type { Frame } from "../../../views/components/frame";
import type { ResultGroup } from "../../../views/dashboard/search/result";
import type { Deps } from "../deps";
import { broadcasts } from "./broadcasts";
import { files } from "./files";
import { messages } from "./messages";
import { people } from "./people";
import { posts } from "./posts";
import { projects } from "./projects";
import type { Subject } from "./subject";

/** All kinds of things that can be found. */
export const subjects: Subject[] = [people, messages, posts, projects, files, broadcasts];

/** The first matches of each kind. */
export const found = (deps: Deps, frame: Frame, q: string, limit: number): Promise<ResultGroup[]> =>
  Promise.all(
    subjects.map(async ({ id, name, find, listOf }) => ({
      id,
      name,
      href: listOf(q),
      ...(await find(deps, frame, q, limit)),
    })),
  );
