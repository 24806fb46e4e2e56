-- How many pieces have left the stock for orders, as of last night; the same in all rows of a product.
alter table catalog.listing add column sold bigint not null default 0;
-- Up to when the ledger has been added up: what was sold before this column came is not counted.
alter table catalog.listing_stock add column sold_until timestamptz not null default now();
