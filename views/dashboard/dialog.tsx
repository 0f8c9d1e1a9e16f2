import type { AssetName } from "../assets";
import type { Child } from "../jsx/jsx-runtime";
import { Crumb, Shell } from "./shell";
import type { Frame } from "../components/frame";

export type DialogProps = {
  title: string;
  frame: Frame;
  dismiss?: "freely" | "by-button";
  /** Where the page version links back to. */
  back?: { href: string; text: string };
  /** Style sheets that the surrounding page has, and the page version needs too. */
  extras?: AssetName[];
  children?: Child;
};

/** A question or a small form, as a fragment for `#dialog`, which app.ts opens. */
export const Dialog = ({ title, dismiss = "freely", children }: DialogProps) => (
  <dialog class="dialog" aria-labelledby="dialog-title" data-dismiss={dismiss}>
    <div class="body">
      <h2 id="dialog-title">{title}</h2>
      {children}
    </div>
    <p class="sr" role="status" />
  </dialog>
);

/** The same as a page of its own, if JavaScript is off or the link was opened in a tab. */
export const DialogPage = ({ title, frame, back, extras, children }: DialogProps) => (
  <Shell frame={frame} title={title} extras={extras}>
    {back && <Crumb href={back.href}>{back.text}</Crumb>}
    <section class="card sheet">
      <div class="body">
        <h1 id="head">{title}</h1>
        {children}
      </div>
    </section>
  </Shell>
);

type FooterProps = { cancel: string; tone?: "primary" | "danger"; children?: Child };

/** The end of a small form: Cancel and the action. */
export const DialogFooter = ({ cancel, tone = "primary", children }: FooterProps) => (
  <footer>
    <a class="btn" href={cancel} data-close>
      Cancel
    </a>
    <button type="submit" class={`btn ${tone}`}>
      {children}
    </button>
  </footer>
);
