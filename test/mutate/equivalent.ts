/**
 * Mutants that change nothing anyone could notice, each with its reason. `npm run mutate` does not count them. A test
 * fails when the line is no longer there.
 */
export const equivalent: { file: string; line: string; replacement: string; why: string }[] = [];
