-- What has been sent of an order. `lines` is an object: pieces by the id of the order's line. `status_id` is the entry that this
-- shipment added to the order's history, if it was the one with the last piece. `notified`: its mail was asked for; `mailed_at`:
-- it was sent.
create table orders.shipments (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  number integer not null,
  lines json not null,
  carrier text,
  tracking_number text,
  tracking_url text,
  notified boolean not null,
  mailed_at timestamptz,
  status_id text collate "C",
  user_id text collate "C" not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint shipments_pkey primary key (business_id, order_id, id),
  constraint shipments_number_key unique (business_id, order_id, number),
  constraint shipments_order_fkey foreign key (business_id, order_id) references orders.orders
);
