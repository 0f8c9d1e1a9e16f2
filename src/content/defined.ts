type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are not undefined: the database keeps, or makes up, what is not given. */
export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
