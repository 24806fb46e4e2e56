-- no transaction
create index concurrently sessions_staff on accounts.sessions (user_id, staff_of)
  where staff_of is not null and revoked_at is null;
