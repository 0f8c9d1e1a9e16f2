create table "alerts" (
  "id" text collate "C" primary key,
  "name" text collate "C" not null,
  "subject" text collate "C" not null,
  "title" text collate "C" not null,
  "detail" text collate "C" not null,
  "since" bigint not null,
  "told_at" bigint,
  "quiet_since" bigint
);
create unique index "alerts_subject" on "alerts" ("name", "subject");
