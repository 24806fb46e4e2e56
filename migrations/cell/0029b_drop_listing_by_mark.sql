-- no transaction
drop index concurrently if exists catalog.listing_by_mark;
