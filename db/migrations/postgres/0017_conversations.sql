create table "message_entries" (
  "id" text collate "C" primary key,
  "message_id" text collate "C" not null,
  "kind" text collate "C" not null,
  "author" text collate "C",
  "name" text collate "C",
  "email" text collate "C",
  "email_key" text collate "C",
  "text" text collate "C" not null,
  "mail_id" text collate "C",
  "created_at" bigint not null
);
alter table "messages" add column "snoozed_until" bigint;
alter table "messages" add column "surfaced_at" bigint not null default 0;
update "messages" set "surfaced_at" = "created_at";
alter table "messages" add column "replied_at" bigint;
alter table "messages" add column "assignee_id" text collate "C";
alter table "messages" add column "thread_key" text collate "C";
create table "snippets" (
  "id" text collate "C" primary key,
  "name" text collate "C" not null,
  "text" text collate "C" not null,
  "created_at" bigint not null,
  "updated_at" bigint not null
);
alter table "message_entries" add foreign key ("message_id") references "messages" ("id") on delete cascade;
alter table "messages" add foreign key ("assignee_id") references "managers" ("id") on delete set null;
create index "message_entries_thread" on "message_entries" ("message_id", "created_at", "id");
create index "message_entries_sender" on "message_entries" ("email_key") where email_key is not null;
create unique index "message_entries_mail" on "message_entries" ("mail_id") where mail_id is not null;
drop index "messages_box";
create index "messages_box" on "messages" ("deleted_at", "spam_reason", "quarantined", "archived_at", "snoozed_until", "surfaced_at", "id", "read_at");
create index "messages_snoozed" on "messages" ("snoozed_until") where snoozed_until is not null;
create index "messages_assignee" on "messages" ("assignee_id") where assignee_id is not null;
create unique index "messages_thread" on "messages" ("thread_key") where thread_key is not null;
