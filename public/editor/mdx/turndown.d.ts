/** The part of turndown that is used here. */
declare module "turndown" {
  type Rule = {
    filter: string | readonly string[];
    replacement: (content: string, node: HTMLElement) => string;
  };
  export default class TurndownService {
    constructor(options: Record<string, string>);
    escape(text: string): string;
    addRule(name: string, rule: Rule): this;
    turndown(html: string | HTMLElement): string;
  }
}
