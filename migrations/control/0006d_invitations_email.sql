-- no transaction
-- Invitations to an address, which a new account of that address finds.
create index concurrently invitations_email on access.invitations (lower(email), business_id);
