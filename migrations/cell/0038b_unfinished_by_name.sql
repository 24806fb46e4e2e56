-- no transaction
-- Lists of files that are not READY, by name.
create index concurrently if not exists files_unfinished_by_name on media.files (business_id, status, sort_name, id) where status <> 'READY';
