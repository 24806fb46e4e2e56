-- no transaction
create index concurrently users_guest_of on accounts.users (guest_of, id) where guest_of is not null;
