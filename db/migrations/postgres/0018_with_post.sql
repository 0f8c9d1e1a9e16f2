alter table "broadcasts" add column "with_post" bigint not null default 0;
