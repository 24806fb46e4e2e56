-- no transaction
-- Lists of one kind of file by size.
create index concurrently if not exists files_by_kind_and_size on media.files (business_id, kind, size, id);
