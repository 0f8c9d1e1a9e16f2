/** Values by a key. */
export class Groups<Key, Value> {
  readonly all = new Map<Key, Value[]>();
  add(key: Key, value: Value) {
    const values = this.all.get(key);
    if (values) values.push(value);
    else this.all.set(key, [value]);
  }
}

/** Rows as the list that `isOneOf` takes. */
export const listOf = (rows: number[]) => ({ count: rows.length, list: JSON.stringify(rows) });
