alter table "subscribers" add column "language" text collate "C";
create index "subscribers_language" on "subscribers" ("language", "created_at", "id") where language is not null;
