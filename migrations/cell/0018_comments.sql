-- What people of a business write about an order, for each other.
create table orders.comments (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  author_id text collate "C" not null,
  author_kind text collate "C" not null,
  text text not null,
  created_at timestamptz not null,
  constraint comments_pkey primary key (business_id, order_id, id),
  constraint comments_order_fkey foreign key (business_id, order_id) references orders.orders
);
