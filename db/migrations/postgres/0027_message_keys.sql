alter table "messages" add column "api_key_id" text collate "C";
create index "messages_api_key" on "messages" ("api_key_id", "created_at") where api_key_id is not null;
