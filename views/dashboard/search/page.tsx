import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { paths } from "../../paths";
import { Head } from "../shell";
import { actionForm, type ResultGroup, ResultRow } from "./result";
import { Nothing, type ResultsView } from "./results";

/** The search over everything as a page: the palette's rows, more of them, without a script. */
export function SearchPage({ frame, asked, q, groups, suggestions }: ResultsView & { frame: Frame }) {
  const isNothing = q !== "" && groups.length === 0;
  return (
    <>
      <Head title="Search" lead="People, messages, posts, projects, files, broadcasts, settings and actions." />
      <SearchField q={asked} />
      <Form id={actionForm.page} action={paths.search} token={frame.token} plain />
      {isNothing && <Nothing q={q} />}
      <div class="results">
        {(isNothing ? [suggestions] : groups).map((group) => (
          <Section group={group} q={q} />
        ))}
      </div>
    </>
  );
}

const SearchField = ({ q }: { q: string }) => (
  <form class="toolbar" role="search" method="get" action={paths.search} aria-label="Everything">
    <div class="search">
      <Icon name="search" />
      <label class="sr" for="q">
        Search everything
      </label>
      <input class="input" type="search" id="q" name="q" value={q} maxlength="200" autofocus={q === ""} />
    </div>
    <button type="submit" class="btn">
      Search
    </button>
  </form>
);

const Section = ({ group: { id, name, rows, total, isMore, href }, q }: { group: ResultGroup; q: string }) => (
  <section aria-labelledby={`results-${id}`}>
    <h2 class="group-name" id={`results-${id}`}>
      {name}
    </h2>
    <ul>
      {rows.map((result) => (
        <li>
          <ResultRow result={result} q={q} />
        </li>
      ))}
    </ul>
    {href && (total > rows.length || isMore) && (
      <p class="rest">
        <a href={href}>
          {isMore ? "Search" : `All ${plural(total, "result")} in`} {name}
        </a>
      </p>
    )}
  </section>
);
