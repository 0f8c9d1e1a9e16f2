import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { columnText, indexes, nameOf, quoted, references, tableText } from "./tables";

/**
 * Writes what the tables have beyond these migrations: tables, columns, references and indexes. Everything else, such
 * as a rename, is written by hand; a test compares the result with db/schema.
 *
 * @param migrations the text of all files
 */
export function additionsTo(migrations: string, tables: SQLiteTable[]): string[] {
  const isNew = (of: SQLiteTable) => createdBy(migrations, of) === undefined;
  const isMissing = (statement: string) => !migrations.includes(statement);
  return [
    ...tables.flatMap((of) => (isNew(of) ? tableText(of) : columnsBeyond(migrations, of))),
    ...tables.flatMap(references).filter(isMissing),
    ...tables.flatMap(indexes).filter(isMissing),
    ...tables.filter(isNew).flatMap(numbering),
  ];
}

/** The columns of a table as it was created; undefined if it was not. */
const createdBy = (migrations: string, of: SQLiteTable) =>
  migrations.split(`create table ${quoted(getTableConfig(of).name)} (`)[1]?.split("\n);")[0];

function columnsBeyond(migrations: string, of: SQLiteTable): string[] {
  const { name, columns } = getTableConfig(of);
  const add = `alter table ${quoted(name)} add column`;
  const created = createdBy(migrations, of) ?? "";
  return columns
    .filter((each) => !created.includes(`\n  ${nameOf(each)} `) && !migrations.includes(`${add} ${nameOf(each)} `))
    .map((each) => `${add} ${columnText(each)}`);
}

/** Lets null stand for the next row, as 0001_rules.sql does for the tables before it. */
function numbering(of: SQLiteTable): string[] {
  const { name, columns } = getTableConfig(of);
  if (!columns.some(({ name, primary }) => primary && name === "row")) return [];
  return [
    `create trigger ${quoted(`${name}_row`)} before insert on ${quoted(name)} for each row when (new."row" is null) execute function number_row()`,
  ];
}
