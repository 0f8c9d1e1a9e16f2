type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the fields that are not undefined: for missing ones the database keeps its value or uses a default. */
export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
