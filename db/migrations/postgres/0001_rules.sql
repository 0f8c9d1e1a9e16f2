-- What PostgreSQL does by itself, by hand: the words of SQLite that the verbs use, counts, versions, references and search.
create extension if not exists pg_trgm;

create function instr(text, text) returns integer language sql immutable parallel safe as 'select strpos($1, $2)';
-- A text cannot hold NUL here: what is asked for with one is not there
create function json_each(text) returns table (value text) language sql immutable as $$
  select json_array_elements_text((case when strpos($1, '\u0000') > 0
    then regexp_replace($1, '(?<!\\)((?:\\\\)*)\\u0000', '\1\ufffd', 'g') else $1 end)::json) $$;
create function as_json_list(bigint[]) returns text language sql immutable as 'select array_to_json($1)::text';
create aggregate json_group_array(bigint)
  (sfunc = array_append, stype = bigint[], initcond = '{}', finalfunc = as_json_list);
create function now_ms() returns bigint language sql as 'select (extract(epoch from clock_timestamp()) * 1000)::bigint';

-- Versions. A transaction counts once, whatever number of rows it changes: a bulk edit of 1,000 posts is one change.
insert into versions (topic, version, changed_at)
  select topic, 1, now_ms() from unnest(array['posts', 'projects', 'settings', 'feeds', 'keys']) topic;
create function new_version() returns trigger language plpgsql as $$
declare
  flag text := 'postroom.' || tg_argv[0];
  me text := pg_current_xact_id()::text;
begin
  if current_setting(flag, true) is distinct from me then
    perform set_config(flag, me, true);
    update versions set version = version + 1, changed_at = now_ms() where topic = tg_argv[0];
  end if;
  return null;
end $$;
create trigger posts_version after insert or update or delete on posts for each row execute function new_version('posts');
create trigger post_tags_version after insert or update or delete on post_tags for each row execute function new_version('posts');
create trigger tags_version after insert or update or delete on tags for each row execute function new_version('posts');
create trigger projects_version after insert or update or delete on projects for each row execute function new_version('projects');
create trigger settings_version_insert after insert on settings for each row when (new.is_public = 1) execute function new_version('settings');
create trigger settings_version_update after update on settings for each row when (new.is_public = 1 or old.is_public = 1) execute function new_version('settings');
create trigger settings_version_delete after delete on settings for each row when (old.is_public = 1) execute function new_version('settings');
create trigger posts_feeds after insert or delete or update of slug, title, excerpt, author, content, published, published_at, deleted_at, updated_at on posts for each row execute function new_version('feeds');
create trigger post_tags_feeds after insert or delete on post_tags for each row execute function new_version('feeds');
create trigger tags_feeds after update on tags for each row execute function new_version('feeds');
create trigger api_keys_version after insert or delete or update of hash, active, expires_at on api_keys for each row execute function new_version('keys');

-- Subscribers are counted by differences, so that no one who subscribes waits for the commit of another. The count is
-- the sum of a state's rows; housekeeping adds them up.
alter table subscriber_counts drop constraint subscriber_counts_pkey;
create index subscriber_counts_state on subscriber_counts (state);
insert into subscriber_counts values ('active', 0), ('unsubscribed', 0);
create function count_subscribers() returns trigger language plpgsql as $$ begin
  if tg_op <> 'INSERT' then insert into subscriber_counts values (old.state, -1); end if;
  if tg_op <> 'DELETE' then insert into subscriber_counts values (new.state, 1); end if;
  return null;
end $$;
create trigger subscribers_count after insert or delete on subscribers for each row execute function count_subscribers();
create trigger subscribers_count_update after update of state on subscribers for each row when (new.state <> old.state) execute function count_subscribers();

create function mark_subject_gone() returns trigger language plpgsql as $$ begin
  update outbox set subject_gone = 1 where subject_id = old.id;
  return null;
end $$;
create trigger outbox_subject_gone after delete on subscribers for each row execute function mark_subject_gone();

-- Counts of posts, and of the posts of each tag.
insert into post_counts values ('draft', 0), ('released', 0), ('trash', 0);
create function post_state(posts) returns text language sql immutable as
  $$ select case when $1.deleted_at is not null then 'trash' when $1.published = 1 then 'released' else 'draft' end $$;
create function count_posts() returns trigger language plpgsql as $$ begin
  if tg_op <> 'INSERT' then update post_counts set count = count - 1 where state = post_state(old); end if;
  if tg_op <> 'DELETE' then update post_counts set count = count + 1 where state = post_state(new); end if;
  return null;
end $$;
create trigger post_counts_rows after insert or delete on posts for each row execute function count_posts();
create trigger post_counts_update after update of published, deleted_at on posts for each row when (post_state(new) <> post_state(old)) execute function count_posts();

create function count_post_tags() returns trigger language plpgsql as $$
declare
  change int := case tg_op when 'INSERT' then 1 else -1 end;
  link post_tags := case tg_op when 'INSERT' then new else old end;
begin
  update tags set posts = tags.posts + change, released = tags.released + change * post.published
    from posts post where post.id = link.post_id and post.deleted_at is null and tags.slug = link.tag_slug;
  return null;
end $$;
create trigger tags_posts after insert or delete on post_tags for each row execute function count_post_tags();
create function count_tags_of_post() returns trigger language plpgsql as $$
declare
  listed int := (new.deleted_at is null)::int - (old.deleted_at is null)::int;
  shown int := (post_state(new) = 'released')::int - (post_state(old) = 'released')::int;
begin
  update tags set posts = posts + listed, released = released + shown
    where slug in (select tag_slug from post_tags where post_id = new.id);
  return null;
end $$;
create trigger tags_of_post after update of published, deleted_at on posts for each row when (post_state(new) <> post_state(old)) execute function count_tags_of_post();
-- While the post is still there its tags can see whether they counted it
create function remove_post_tags() returns trigger language plpgsql as $$ begin
  delete from post_tags where post_id = old.id;
  return old;
end $$;
create trigger tags_posts_gone before delete on posts for each row execute function remove_post_tags();

-- Files used by posts and projects, found by /media/<id>/ in their texts
create function files_in(text) returns setof text language sql stable as
  $$ select distinct id from unnest(string_to_array($1, '/media/')) piece join uploads on id = left(piece, 36) $$;
create function note_files_of_post() returns trigger language plpgsql as $$ begin
  delete from post_files where post_id = new.id;
  insert into post_files (file_id, post_id) select files_in(new.cover_image || ' ' || new.content), new.id;
  return null;
end $$;
create trigger posts_files after insert or update of cover_image, content on posts for each row execute function note_files_of_post();
create function note_files_of_project() returns trigger language plpgsql as $$ begin
  delete from project_files where project_id = new.id;
  insert into project_files (file_id, project_id) select files_in(new.image_url || ' ' || new.description), new.id;
  return null;
end $$;
create trigger projects_files after insert or update of image_url, description on projects for each row execute function note_files_of_project();
create index folders_above on folders (rtrim(path, replace(path, '/', '')), path);

-- Search: trigrams find texts of three characters and more, and posts_short the runs of up to three in posts
create index posts_folded on posts using gin (folded gin_trgm_ops) with (fastupdate = off);
create index subscribers_folded on subscribers using gin (folded gin_trgm_ops) with (fastupdate = off);
create table posts_short (
  post bigint primary key references posts (row) on delete cascade,
  terms text[] collate "C" not null
);
create index posts_short_terms on posts_short using gin (terms) with (fastupdate = off);

-- Drizzle gives null for the row's number, which SQLite takes for "the next"
create function number_row() returns trigger language plpgsql as $$ begin
  new."row" := coalesce(new."row", nextval(pg_get_serial_sequence(tg_table_name, 'row')));
  return new;
end $$;
do $$ declare numbered text; begin
  for numbered in select table_name from information_schema.columns where column_name = 'row' and is_identity = 'YES' loop
    execute format('create trigger %I before insert on %I for each row when (new."row" is null) execute function number_row()', numbered || '_row', numbered);
  end loop;
end $$;
