-- What a refund of an order is for: pieces of its lines (`origin`: whether they had gone out), and shipping, whose `line_id` is empty.
-- `restocked`: the pieces were put back into stock. `freed_at`: the refund failed, so pieces and money may be refunded again.
create table orders.refund_lines (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  refund_id text collate "C" not null,
  position integer not null,
  line_id text collate "C" not null,
  origin text collate "C",
  quantity integer not null,
  amount bigint not null,
  restocked boolean not null,
  freed_at timestamptz,
  constraint refund_lines_pkey primary key (business_id, order_id, refund_id, position),
  constraint refund_lines_order_fkey foreign key (business_id, order_id) references orders.orders,
  constraint refund_lines_origin_check check (origin in ('UNSHIPPED', 'SHIPPED')),
  constraint refund_lines_sums_check check (quantity >= 0 and amount >= 0)
);
