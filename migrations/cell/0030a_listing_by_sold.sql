-- no transaction
create index concurrently if not exists listing_by_sold on catalog.listing (business_id, market_id, status, sold, product_id);
