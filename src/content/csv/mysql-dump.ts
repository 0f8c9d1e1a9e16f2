/*
 * Rows of a dump that `mysqldump` or `mariadb-dump` wrote, as they come: no more than one row is kept. Nothing in the
 * dump is run.
 */

/** A row by the names of its columns. */
export type DumpRow = Map<string, string | null>;

const maxRow = 1_000_000; // characters; a row of the tables that are read has at most 8,000
const maxHead = 4_096; // of a line: what begins longer ones is in it

/** Yields the rows of the tables. @throws a message for the person who imports it */
export async function* insertedRows(
  chunks: AsyncIterable<Uint8Array>,
  tables: ReadonlySet<string>,
): AsyncGenerator<{ table: string; row: DumpRow }> {
  const decoder = new TextDecoder();
  const reader = new DumpReader(tables);
  for await (const chunk of chunks) yield* reader.read(decoder.decode(chunk, { stream: true }));
  yield* reader.read(`${decoder.decode()}\n`);
  if (reader.isWithinRows) throw new Error("The dump ends within a table: it is not complete.");
}

/** Line breaks within texts are escaped, so a line that begins like a statement is one. */
const insertion = /INSERT (?:IGNORE )?INTO `(\w+)` (?:\(([^()]*)\) )?VALUES/y;
const creation = /CREATE TABLE (?:IF NOT EXISTS )?`(\w+)` \(/y;
const columnLine = / +`([^`]+)` /y;

class DumpReader {
  private text = "";
  private at = 0;
  /** The columns of each table, in their order. */
  private readonly columns = new Map<string, string[]>();
  private creating: string[] | undefined;
  private inserting: { table: string; columns: string[] } | undefined;
  private isPassing = false; // over the rest of a line

  constructor(private readonly tables: ReadonlySet<string>) {}

  get isWithinRows(): boolean {
    return this.inserting !== undefined;
  }

  *read(more: string): Generator<{ table: string; row: DumpRow }> {
    this.text = this.text.slice(this.at) + more;
    this.at = 0;
    while (this.inserting ? yield* this.readRow(this.inserting) : this.readLine());
    if (this.text.length - this.at > maxRow) throw new Error("A row of the dump is longer than 1 MB.");
  }

  /** Reads one row, or the end of the statement. Returns false if the text ends first. */
  private *readRow({ table, columns }: { table: string; columns: string[] }) {
    while (/[\s,]/.test(this.text.charAt(this.at))) this.at++;
    const sign = this.text.charAt(this.at);
    if (sign === ";") this.inserting = undefined;
    if (sign === ";") this.at++;
    if (sign === ";" || !sign) return sign === ";";
    if (sign !== "(")
      throw new Error(`The dump cannot be read: the rows of ${table} are not as mysqldump writes them.`);
    const read = valuesAt(this.text, this.at + 1);
    if (!read) return false;
    if (read.values.length !== columns.length)
      throw new Error(
        `The dump cannot be read: a row of ${table} has ${read.values.length} values for ${columns.length} columns.`,
      );
    this.at = read.end;
    yield { table, row: new Map(columns.map((column, index) => [column, read.values[index] ?? null])) };
    return true;
  }

  /** Reads one line, or as much of it as says that it is passed over. Returns false if the text ends first. */
  private readLine(): boolean {
    const end = this.text.indexOf("\n", this.at);
    if (end < 0 && !this.isPassing && this.text.length - this.at < maxHead) return false;
    if (!this.isPassing && this.begins()) return true;
    this.isPassing = end < 0;
    this.at = end < 0 ? this.text.length : end + 1;
    return end >= 0;
  }

  /** Returns whether rows of a table that is read begin here. Remembers the columns of tables that are created. */
  private begins(): boolean {
    const [insert, table = "", named] = this.match(insertion) ?? [];
    if (insert && this.tables.has(table)) {
      const columns = named ? named.split(",").map((one) => one.trim().replaceAll("`", "")) : this.columns.get(table);
      if (!columns)
        throw new Error(`The dump does not say which columns ${table} has. Make it without --no-create-info.`);
      this.inserting = { table, columns };
      this.at += insert.length;
      return true;
    }
    const [, created] = this.match(creation) ?? [];
    const [, column] = this.match(columnLine) ?? [];
    if (created !== undefined) this.columns.set(created, (this.creating = []));
    else if (column !== undefined) this.creating?.push(column);
    else this.creating = undefined; // keys follow the columns
    return false;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }
}

const quoted = /(?:_binary )?'([^'\\]*(?:(?:\\[^]|'')[^'\\]*)*)'/y;
const bare = /[^',()\s]+/y;

/** Reads the values of a row from its first to behind its end. Undefined if the text ends within it. */
function valuesAt(text: string, start: number): { values: (string | null)[]; end: number } | undefined {
  const values: (string | null)[] = [];
  for (let at = start; ;) {
    while (text.charAt(at) === " ") at++;
    quoted.lastIndex = bare.lastIndex = at;
    const string = quoted.exec(text);
    const word = string ? null : bare.exec(text);
    const end = at + (string ?? word ?? [""])[0].length;
    const sign = text.charAt(end);
    if (!sign) return undefined; // a quote at the end may be half of two
    if ((!string && !word) || (sign !== "," && sign !== ")")) {
      if (text.charAt(at) === "'" || text.startsWith("_binary '", at)) return undefined; // the text goes on
      throw new Error("The dump cannot be read: a row is not as mysqldump writes it.");
    }
    values.push(string ? unescaped(string[1] ?? "") : word?.[0] === "NULL" ? null : (word?.[0] ?? null));
    at = end + 1;
    if (sign === ")") return { values, end: at };
  }
}

const escapes: Record<string, string> = { 0: "\0", b: "\b", n: "\n", r: "\r", t: "\t", Z: "\x1a" };

/** MySQL 8.4 Reference Manual, 11.1.1. */
const unescaped = (written: string): string =>
  written.replace(/\\([^])|''/g, (_, code: string | undefined) => (code === undefined ? "'" : (escapes[code] ?? code)));
