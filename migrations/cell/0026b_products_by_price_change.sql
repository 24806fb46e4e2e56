-- no transaction
create index concurrently if not exists products_by_price_change on catalog.products (prices_change_at)
  where prices_change_at is not null;
