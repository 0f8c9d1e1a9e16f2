import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { roleSentence } from "../../components/roles";
import { paths } from "../../paths";
import { Head } from "../shell";
import { Growth, type GrowthView } from "./growth";
import { Figure, Running } from "./overview";

type PartView = {
  frame: Frame;
  greeting: string;
  /** In the last 30 days. */
  visits: { views: number; clicks: number };
  /** For those who write. */
  posts?: { draft: number; scheduled: number } | undefined;
  /** For those who see the newsletter's figures. */
  newsletter?: { growth: GrowthView; joinedLately: number; runs: Parameters<typeof Running>[0]["runs"] } | undefined;
};

/** Overview for those whose role includes a part of the dashboard: figures of that part, and nothing to decide. */
export const PartOverview = ({ frame, greeting, visits, posts, newsletter }: PartView) => (
  <>
    <Head title={greeting} lead={roleSentence[frame.manager.role]} />
    <div class="stack wide">
      {newsletter && newsletter.runs.length > 0 && <Running runs={newsletter.runs} />}
      <dl class="card figures">
        {newsletter && (
          <Figure
            label="Active subscribers"
            value={number(frame.counts.active)}
            note={`+${number(newsletter.joinedLately)} in 7 days`}
          />
        )}
        <Figure label="Views" value={number(visits.views)} note="Last 30 days" href={paths.postViews} />
        <Figure label="Clicks" value={number(visits.clicks)} note="Last 30 days" href={paths.projectClicks} />
        {posts && (
          <Figure
            label="Drafts"
            value={number(posts.draft)}
            note={posts.scheduled ? `${plural(posts.scheduled, "post")} scheduled` : "None scheduled"}
            href={`${paths.posts}?status=draft`}
          />
        )}
      </dl>
      {newsletter && <Growth {...newsletter.growth} />}
    </div>
  </>
);
