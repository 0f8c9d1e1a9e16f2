import type { SourceOfGrowth } from "../../../db/newsletter/growth";
import { rounded } from "../../components/charts/scale";
import { number } from "../../components/list";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";

/** Where those who joined came from: the largest sources, and the rest together. */
export const Sources = ({ sources, joined }: { sources: SourceOfGrowth[]; joined: number }) => {
  if (!joined) return null;
  const others = joined - sources.reduce((sum, source) => sum + source.joined, 0);
  return (
    <div class="sources">
      <h3>Joined from</h3>
      <ul class="shares">
        {sources.map(({ source, joined: count }) => (
          <Source count={count} of={joined}>
            {source ? (
              <a href={`${paths.newsletter}?source=${encodeURIComponent(source)}`}>{source}</a>
            ) : (
              <span class="none">No source</span>
            )}
          </Source>
        ))}
        {others > 0 && (
          <Source count={others} of={joined}>
            Other sources
          </Source>
        )}
      </ul>
    </div>
  );
};

type SourceProps = { count: number; of: number; children: Child };

const Source = ({ count, of, children }: SourceProps) => (
  <li>
    <span class="wrap">{children}</span>
    <span class="num">{number(count)}</span>
    <svg class="share" aria-hidden="true">
      <rect class="rest" width="100%" height="100%" />
      <rect class="one" width={`${rounded((100 * count) / of)}%`} height="100%" />
    </svg>
  </li>
);
