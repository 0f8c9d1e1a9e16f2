import { StyleModule } from "style-mod";

/*
 * CodeMirror puts its styles into <style>, which the policy `style-src 'self'` forbids. Constructed sheets are not
 * inline. They are in a layer, because rules without one would win over all of ours.
 */
const mounted = new Set<StyleModule>();

StyleModule.mount = (_root, modules) => {
  for (const styles of [modules].flat()) {
    if (mounted.has(styles)) continue;
    mounted.add(styles);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@layer components { ${styles.getRules()} }`);
    document.adoptedStyleSheets.unshift(sheet); // a later module has precedence over an earlier one, as there
  }
};
