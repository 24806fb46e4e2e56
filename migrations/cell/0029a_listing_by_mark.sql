-- no transaction
create index concurrently if not exists listing_by_mark_key on catalog.listing
  using gin (catalog.mark_keys(business_id, market_id, marks)) with (fastupdate = off);
