-- Which readers of its newsletter a send goes to: conditions that all have to hold. Null: all of them.
alter table newsletter.sends add column conditions json;

-- When a customer last bought a product, and by which order: of orders that are paid, kept with the sums. Read by product, to find
-- those among the readers of a newsletter who bought it.
create table customers.bought (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  user_id text collate "C" not null,
  last_at timestamptz not null,
  order_id text collate "C" not null,
  constraint bought_pkey primary key (business_id, product_id, user_id) include (last_at)
);
create index bought_by_user on customers.bought (business_id, user_id);
create index bought_by_order on customers.bought (business_id, order_id);

-- Orders that were counted before this table was there are looked at once more.
insert into customers.filling (kind) values ('bought');
