-- Orders, and what is known of their payments.
create schema if not exists orders;
create schema if not exists payments;

-- `status` and `payment_status` are the last elements of their histories. Each line notes the stock that it `took`, so that
-- exactly that is given back, once (`released_at`). `expired_at`: it ended by itself, for want of money. Of an order made by a
-- checkout, the row is also the record by which a repeated request is known (`request_caller`, `request_key`, `request_hash`).
create table orders.orders (
  business_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  customer_id text collate "C" not null,
  market text collate "C" not null,
  currency text not null,
  lines json not null,
  subtotal bigint not null,
  tax bigint not null,
  shipping bigint not null,
  discount bigint not null,
  total bigint not null,
  promo_code text,
  promo_id text collate "C",
  promo_customer text,
  shipping_method_id text,
  payment_method text,
  blocks json not null,
  contact_email text,
  statuses json not null,
  status text collate "C" not null,
  payment_statuses json not null,
  payment_status text collate "C" not null,
  trace json,
  return_url text,
  cancel_url text,
  request_key text collate "C",
  request_caller text collate "C",
  request_hash bytea,
  expires_at timestamptz,
  swept_at timestamptz,
  expired_at timestamptz,
  released_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint orders_pkey primary key (business_id, id),
  constraint orders_number_key unique (business_id, number),
  constraint orders_total_check check (total = subtotal + tax + shipping - discount),
  constraint orders_money_check check (least(subtotal, tax, shipping, discount, total) >= 0)
) with (fillfactor = 85);
create unique index orders_request_key on orders.orders (business_id, request_caller, request_key) where request_key is not null;
create index orders_by_status on orders.orders (business_id, status, id);
create index orders_by_customer on orders.orders (business_id, customer_id, id);
-- Led by time, for the sweep that ends orders nobody paid.
create index orders_unpaid on orders.orders (expires_at) where status = 'PENDING' and payment_status in ('PENDING', 'FAILED');

-- One payment page at the provider, opened for an order (or, later, a subscription): `subject`. What is paid and refunded is
-- what the provider said last; `refunding` is what we have asked it to refund and not yet heard of. WRONG: it was paid, but not
-- what was asked for, and waits for a person.
create table payments.payments (
  business_id text collate "C" not null,
  id text collate "C" not null,
  subject text collate "C" not null,
  attempt integer not null,
  account text collate "C",
  page_id text collate "C",
  intent_id text collate "C",
  amount bigint not null,
  currency text not null,
  url text,
  status text not null,
  paid bigint not null default 0,
  refunded bigint not null default 0,
  refunding bigint not null default 0,
  email text,
  expires_at timestamptz not null,
  checked_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payments_pkey primary key (business_id, id),
  constraint payments_subject_key unique (business_id, subject, attempt),
  constraint payments_status_check check (status in ('OPENING', 'OPEN', 'PAID', 'ENDED', 'WRONG')),
  constraint payments_refunds_check check (refunded >= 0 and refunding >= 0 and refunded + refunding <= paid)
);
-- Led by time, for the job that asks the provider about pages of which nothing was heard.
create index payments_open on payments.payments (checked_at) where status in ('OPENING', 'OPEN');

-- What the provider sent, as it came, once.
create table payments.events (
  business_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  account text,
  body text not null,
  received_at timestamptz not null,
  applied_at timestamptz,
  constraint events_pkey primary key (business_id, id)
);
create index events_received_at on payments.events (received_at);

create table payments.refunds (
  business_id text collate "C" not null,
  id text collate "C" not null,
  payment_id text collate "C" not null,
  provider_id text,
  amount bigint not null,
  reason text,
  status text not null,
  actor json,
  due_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint refunds_pkey primary key (business_id, id),
  constraint refunds_payment_fkey foreign key (business_id, payment_id) references payments.payments,
  constraint refunds_status_check check (status in ('ASKED', 'DONE', 'FAILED'))
);
create index refunds_asked on payments.refunds (due_at) where status = 'ASKED';
create index refunds_payment on payments.refunds (business_id, payment_id);
