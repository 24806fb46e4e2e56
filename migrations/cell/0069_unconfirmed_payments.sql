-- The payment came with an archive, and whoever wrote that may have named a session of somebody else in it. Nothing is changed at the
-- provider for it until the provider has said whose session it is.
alter table payments.payments add column is_unconfirmed boolean not null default false;
