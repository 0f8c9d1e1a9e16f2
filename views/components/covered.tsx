import type { Child } from "../jsx/jsx-runtime";

/** The URLs of two sizes of a picture. */
type Cover = { src: string; large: string };
/** By ID of the row. None for a cover that is no picture of ours: nothing is asked of other servers. */
export type Covers = ReadonlyMap<string, Cover>;

/** What names a row, beside its cover, or the space of one where others have one. */
export const Covered = ({ id, covers, children }: { id: string; covers: Covers; children?: Child }) =>
  covers.size > 0 ? (
    <div class="covered">
      <CoverOf cover={covers.get(id)} />
      <div>{children}</div>
    </div>
  ) : (
    <>{children}</>
  );

const CoverOf = ({ cover }: { cover: Cover | undefined }) =>
  cover ? (
    <img
      class="cover"
      src={cover.src}
      srcset={`${cover.large} 2x`}
      width="48"
      height="36"
      alt=""
      loading="lazy"
      decoding="async"
    />
  ) : (
    <span class="cover" />
  );
