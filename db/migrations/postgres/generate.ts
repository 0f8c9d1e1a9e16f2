/** The PostgreSQL part of `npm run db:generate`: writes the tables of db/schema into the first migration (P132). */
import { allTables, statementsFor } from "./tables";

const head = `-- Written by npm run db:generate from db/schema. Nothing was released on PostgreSQL yet, so it may be written again;
-- what is not a table is in 0001_rules.sql.`;

await Bun.write(`${import.meta.dir}/0000_tables.sql`, `${head}\n${statementsFor(await allTables()).join(";\n")};\n`);
