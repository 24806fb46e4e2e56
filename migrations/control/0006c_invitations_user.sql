-- no transaction
-- Invitations to an account, which it finds by itself.
create index concurrently invitations_user on access.invitations (user_id, business_id) where user_id is not null;
