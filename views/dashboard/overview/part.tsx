import type { Frame } from "../../components/frame";
import { plural } from "../../components/list";
import { roleSentence } from "../../components/roles";
import { paths } from "../../paths";
import { Head } from "../shell";
import { Running } from "./overview";
import { Celebration, type Milestone, Story, type StoryView } from "./story";

type PartView = {
  frame: Frame;
  greeting: string;
  story: StoryView;
  /** For those who write. */
  posts?: { draft: number; scheduled: number } | undefined;
  /** For those who see the newsletter's figures. */
  runs: Parameters<typeof Running>[0]["runs"];
  milestone: Milestone | undefined;
};

/** Overview for those whose role includes a part of the dashboard: figures of that part, and nothing to decide. */
export const PartOverview = ({ frame, greeting, story, posts, runs, milestone }: PartView) => (
  <>
    <Head title={greeting} lead={roleSentence[frame.manager.role]} />
    <div class="stack wide">
      {runs.length > 0 && <Running runs={runs} />}
      {posts && posts.draft + posts.scheduled > 0 && (
        <p>
          <a href={`${paths.posts}?status=draft`}>{plural(posts.draft, "draft")}</a>,{" "}
          <a href={`${paths.posts}?status=scheduled`}>{posts.scheduled} scheduled</a>
        </p>
      )}
      {milestone && <Celebration milestone={milestone} frame={frame} />}
      <Story {...story} />
    </div>
  </>
);
