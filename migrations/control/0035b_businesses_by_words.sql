-- no transaction
create index concurrently if not exists businesses_by_words on access.businesses using gin (to_tsvector('simple'::regconfig, name));
