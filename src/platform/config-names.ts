type Env = Record<string, string | undefined>;

/**
 * Names that are probably a mistake, but may also be variables of another program: the service starts, and says so.
 *
 * @param known the names of all variables
 */
export const namesInDoubt = (env: Env, known: string[]): string[] =>
  Object.keys(env).flatMap((name) => {
    const meant = known.includes(name) ? undefined : known.find((one) => isNear(name, one));
    return meant && !env[meant] ? [`${name} is not a variable of Postroom. Did you mean ${meant}?`] : [];
  });

const minLetters = 8; // shorter names resemble too many others

/** Whether the names differ only in case and separators, or in one letter. */
function isNear(name: string, known: string): boolean {
  const [own, other] = [letters(name), letters(known)];
  return own === other || (known.length >= minLetters && differInOne(own, other));
}

const letters = (name: string) => name.toUpperCase().replaceAll(/[^A-Z\d]/g, "");

/** Whether one letter was added, left out, replaced or swapped with the next. */
function differInOne(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [first, second] = [a.slice(same), b.slice(same)];
  const isSwapped = first[0] === second[1] && first[1] === second[0] && first.slice(2) === second.slice(2);
  return isSwapped || first.slice(1) === second || first === second.slice(1) || first.slice(1) === second.slice(1);
}
