alter table "sequence_people" add column "is_end_told" bigint not null default 0;
-- Webhooks are not told of what was over before, as in SQLite's migration 0039
update "sequence_people" set "is_end_told" = 1 where state >= 3;
create index "sequence_people_ended" on "sequence_people" ("row") where state >= 3 and is_end_told = 0;
