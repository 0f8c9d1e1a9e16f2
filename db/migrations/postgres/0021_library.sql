create table "setting_files" (
  "file_id" text collate "C" not null,
  "setting_key" text collate "C" not null,
  primary key ("file_id", "setting_key")
);
alter table "setting_files" add foreign key ("file_id") references "uploads" ("id") on delete cascade;
alter table "setting_files" add foreign key ("setting_key") references "settings" ("key") on delete cascade;
create index "setting_files_setting" on "setting_files" ("setting_key");
create index "uploads_pictures" on "uploads" ("id") where state = 'completed' and deleted_at is null and lower(substr(mime_type, 1, 6)) = 'image/' and lower(substr(mime_type, 1, 9)) <> 'image/svg';
-- Files used by settings, as by posts
create function note_files_of_setting() returns trigger language plpgsql as $$ begin
  delete from setting_files where setting_key = new.key;
  insert into setting_files (file_id, setting_key) select files_in(new.value), new.key;
  return null;
end $$;
create trigger settings_files after insert or update of value on settings for each row execute function note_files_of_setting();
update settings set value = value where strpos(value, '/media/') > 0;
