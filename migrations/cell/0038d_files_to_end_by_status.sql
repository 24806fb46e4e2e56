-- no transaction
-- The sweep, which keeps rejected files for longer than uploads that nobody completed: it reads only those that it ends.
create index concurrently if not exists files_to_end_by_status on media.files (status, updated_at) where status in ('PENDING', 'REJECTED');
