-- no transaction
-- Lists of one kind of file by name: without it, all of that kind are sorted, or all of the others read.
create index concurrently if not exists files_by_kind_and_name on media.files (business_id, kind, sort_name, id);
