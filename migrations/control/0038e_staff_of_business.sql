-- no transaction
create index concurrently sessions_staff_of on accounts.sessions (staff_of) where staff_of is not null;
