import { Empty, NoMatch } from "../../components/empty";
import { EmptyList, type ListState, listUrl } from "../../components/list";
import { path } from "./row-buttons";

/** Shown instead of the rows if a search, a filter or the trash has none. */
export const NoneHere = ({ state }: { state: ListState }) =>
  state.query.q || state.query.status !== "trash" ? (
    <NoMatch what="projects" query={state.query.q} clear={listUrl(state, { q: "", status: "" })} />
  ) : (
    <Empty icon="trash-2" title="The trash is empty">
      <p>Deleted projects are kept here for 30 days.</p>
    </Empty>
  );

/** Before the first project. */
export const NoneYet = () => (
  <EmptyList label="Projects" icon="layers" title="No projects yet">
    <p>
      Add your work and arrange it in the order you want to show it. Your sites read published projects from{" "}
      <code>GET /api/v1/projects</code>.
    </p>
    <a class="btn" id="first-project" href={`${path}/new`}>
      Add your first project
    </a>
  </EmptyList>
);
