-- no transaction
-- Tagged orders. People tag them, checkouts do not.
create index concurrently orders_by_tag on orders.orders using gin (business_id, tags) with (fastupdate = off) where tags <> '{}';
