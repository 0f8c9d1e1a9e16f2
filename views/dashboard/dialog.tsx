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
export const DialogPage = ({ back, extras, ...sheet }: DialogProps) => (
  <Shell frame={sheet.frame} title={sheet.title} extras={extras}>
    {back && <Crumb href={back.href}>{back.text}</Crumb>}
    <Sheet {...sheet} />
  </Shell>
);

/**
 * What such a page consists of. What is requested from here without a target of its own says so to the server (`HX-Target`),
 * which draws the sheet anew: in a dialog above it, every ID would be twice in the document.
 */
export const Sheet = ({ title, children }: DialogProps) => (
  <section class="card sheet" id="sheet" hx-target:inherited="#sheet">
    <div class="body">
      <h1 id="head">{title}</h1>
      {children}
    </div>
  </section>
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
