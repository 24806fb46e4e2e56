-- Tax classes, and figures for each line of an order. `shipping_tax` and `taxes` are null in orders that were written before:
-- their figures are worked out when they are read. `tax_included` is inside the prices, `tax` on top of them.
alter table catalog.products add column tax_class text collate "C" not null default 'standard';
alter table orders.orders add column tax_included bigint not null default 0;
alter table orders.orders add column shipping_tax bigint;
alter table orders.orders add column taxes json[];
