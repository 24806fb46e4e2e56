-- no transaction
-- Lists of files that are not READY, by size.
create index concurrently if not exists files_unfinished_by_size on media.files (business_id, status, size, id) where status <> 'READY';
