import { type Counted, Shares } from "./shares";

type Props = {
  /** Hosts with their views; undefined if no view has ever said where it came from. */
  items: Counted[] | undefined;
  /** The period, if nothing beside it says so. */
  hint?: string;
};

/** Which sites readers came from, as far as their browsers say so. */
export const Referrers = ({ items, hint }: Props) => (
  <section class="card" aria-labelledby="referrers-title">
    <header>
      <h2 id="referrers-title">Where readers come from</h2>
      {hint && <span class="hint">{hint}</span>}
    </header>
    <div class="body">
      {items?.length ? (
        <>
          <Shares items={items} noun="view" />
          <p class="hint">Only views whose browser names a site. Of its address, the host alone is kept.</p>
        </>
      ) : (
        <p class="muted">
          {items ? "No view named a site in this time." : "Not known yet. It appears once a browser names a site."}
        </p>
      )}
    </div>
  </section>
);
