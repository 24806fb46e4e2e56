-- Payments, refunds, and events received from payment providers.
create schema payments;

-- A checkout session at a payment provider (`page_id`) for a `subject` such as `order:<id>`. `paid` and `refunded` are what the
-- provider last reported; `refunding` is requested but not yet confirmed. WRONG: the amount or currency paid is not what was
-- requested; needs attention.
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
  provider text collate "C" not null default 'stripe',
  -- The payer was erased: data about them that the provider sends later is not stored.
  erased_at timestamptz,
  -- Imported with an archive, whose author could have named the session of another business. Nothing is changed at the provider
  -- until the provider has confirmed whose session it is.
  is_unconfirmed boolean not null default false,
  constraint payments_pkey primary key (business_id, id),
  constraint payments_subject_key unique (business_id, subject, attempt),
  constraint payments_status_check check (status in ('OPENING', 'OPEN', 'PAID', 'ENDED', 'WRONG')),
  constraint payments_refunds_check check (refunded >= 0 and refunding >= 0 and refunded + refunding <= paid)
);
-- For the job that asks the provider about sessions without news, across businesses.
create index payments_open on payments.payments (checked_at) where status in ('OPENING', 'OPEN');
create index payments_wrong on payments.payments (business_id, id) where status = 'WRONG';

-- Events as received from the provider, each stored once.
create table payments.events (
  business_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  account text,
  body text not null,
  received_at timestamptz not null,
  applied_at timestamptz,
  provider text collate "C" not null default 'stripe',
  -- The subject of the payment, to find the events of a person.
  subject text collate "C",
  constraint events_pkey primary key (business_id, id)
);
create index events_received_at on payments.events (received_at);
create index events_by_payment on payments.events (business_id, subject) where subject is not null;

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
  constraint refunds_status_check check (status in ('PENDING', 'SUCCEEDED', 'FAILED')),
  constraint refunds_payment_fkey foreign key (business_id, payment_id) references payments.payments (business_id, id)
);
create index refunds_payment on payments.refunds (business_id, payment_id);
-- For the worker that executes refunds, across businesses.
create index refunds_pending on payments.refunds (due_at) where status = 'PENDING';
create index refunds_failed on payments.refunds (business_id, created_at) where status = 'FAILED';
