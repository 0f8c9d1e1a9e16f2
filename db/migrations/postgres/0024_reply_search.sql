alter table "message_entries" add column "folded" text collate "C" not null default '';

-- What was written before, as in SQLite's migration 0035
update message_entries set folded = lower(concat_ws(chr(64976), name, email, text));
