alter table "sequences" add column "carries_to" bigint not null default 0;
create index "sequence_people_held" on "sequence_people" ("step_row") where state = 2;
