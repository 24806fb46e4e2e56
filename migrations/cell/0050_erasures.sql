-- People whose account was deleted, and who still have to be taken out of what a business keeps. `ids` are all that they had;
-- `email_key` is the address of the account, until readers of newsletters are done; `promo_customer` is the name under which their
-- uses of promo codes count from now on. `step` and `after` say how far it is; `due_at` when to go on.
create table customers.erasures (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  ids text[] not null,
  email_key text collate "C",
  promo_customer text not null,
  step text collate "C" not null,
  after text collate "C" not null default '',
  due_at timestamptz not null,
  created_at timestamptz not null,
  constraint erasures_pkey primary key (business_id, user_id),
  constraint erasures_step_check check (step in ('READERS', 'ORDERS', 'LATE_READERS', 'LATE_ORDERS'))
);
create index erasures_due on customers.erasures (due_at);

-- Their orders that are in work, or that the business keeps for a while. Looked at again when they are due. One that staff give to
-- another customer meanwhile is left alone.
create table customers.kept_orders (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  customer_id text collate "C" not null,
  due_at timestamptz not null,
  constraint kept_orders_pkey primary key (business_id, order_id)
);
create index kept_orders_due on customers.kept_orders (due_at, business_id, order_id);

-- Which payment an event of the provider is about, so that those of a person are found. The next files fill it in.
alter table payments.events add column subject text collate "C";
-- Whose payer was erased: what the provider says of them later is not written down, either.
alter table payments.payments add column erased_at timestamptz;
