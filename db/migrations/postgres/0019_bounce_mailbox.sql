create table "bounce_mailbox" (
  "name" text collate "C" primary key,
  "uid_validity" bigint,
  "last_uid" bigint not null default 0,
  "searched_at" bigint,
  "problem" text collate "C",
  "problem_at" bigint,
  "reports" bigint not null default 0,
  "answers" bigint not null default 0,
  "created_at" bigint not null
);
