-- What lists of products are filtered and sorted by: a narrow row for each product and each market in which it has a price that
-- holds, and one without a market (''). Written with the product; products that were there before come in with their public text.
create table catalog.listing (
  business_id text collate "C" not null,
  market_id text collate "C" not null,
  product_id text collate "C" not null,
  status text collate "C" not null,
  name_key text collate "C" not null,
  price bigint,
  category text collate "C" not null,
  is_in_stock boolean not null,
  marks text[] collate "C" not null,
  constraint listing_pkey primary key (business_id, market_id, product_id)
);
create index listing_by_product on catalog.listing (business_id, product_id);
create index listing_by_mark on catalog.listing using gin (business_id, market_id, marks) with (fastupdate = off);
create index listing_by_price on catalog.listing (business_id, market_id, status, price, product_id) where price is not null;
create index listing_by_name on catalog.listing (business_id, market_id, status, name_key, product_id);
create index listing_by_age on catalog.listing (business_id, market_id, status, product_id);

-- Up to when the stock's ledger has been brought into the rows above. One row.
create table catalog.listing_stock (
  is_only boolean not null default true,
  seen_until timestamptz not null,
  constraint listing_stock_pkey primary key (is_only),
  constraint listing_stock_only_check check (is_only)
);
insert into catalog.listing_stock (seen_until) values (now());
