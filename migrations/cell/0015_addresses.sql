-- What people work with: addresses, notes, tags, and how far money has gone back and goods have gone out. `fulfillment` is null
-- while there is no shipment: then the status tells.
alter table orders.orders add column shipping_address json;
alter table orders.orders add column billing_address json;
alter table orders.orders add column phone text;
alter table orders.orders add column customer_note text;
alter table orders.orders add column tags text[] not null default '{}';
alter table orders.orders add column refunded_amount bigint not null default 0;
alter table orders.orders add column fulfillment text collate "C";
