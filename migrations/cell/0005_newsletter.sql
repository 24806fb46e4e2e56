-- Subscriptions, what is paid for them, sends with a row for each recipient, and addresses that must not get mail.
create schema if not exists newsletter;

-- One for each address and newsletter. `secret` is what links in mails prove themselves with. `provider_id` is the subscription
-- at the payment provider, of a paid plan. `activated_at`: from when on it gets what is sent.
create table newsletter.subscriptions (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  plan_id text collate "C",
  status text collate "C" not null,
  secret text collate "C" not null,
  user_id text collate "C",
  checkout_id text collate "C",
  provider_id text collate "C",
  account text collate "C",
  activated_at timestamptz,
  confirm_sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint subscriptions_pkey primary key (business_id, id),
  constraint subscriptions_email_key unique (business_id, collection_id, email_key),
  constraint subscriptions_collection_fkey foreign key (business_id, collection_id)
    references content.collections on delete cascade,
  constraint subscriptions_status_check check (status in ('PENDING', 'ACTIVE', 'PAST_DUE', 'CANCELLED'))
);
create index subscriptions_by_collection on newsletter.subscriptions (business_id, collection_id, id);
create index subscriptions_active on newsletter.subscriptions (business_id, collection_id, id) where status = 'ACTIVE';
create index subscriptions_by_email on newsletter.subscriptions (business_id, email_key);
create index subscriptions_by_plan on newsletter.subscriptions (business_id, collection_id, plan_id)
  where status in ('ACTIVE', 'PAST_DUE', 'PENDING');

-- Who wants to pay for which plan. The payment that belongs to it is `newsletter:<id>`; once it is paid, it becomes a subscription
-- (`provider_id`, the provider's own).
create table newsletter.checkouts (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  email text not null,
  name text not null,
  plan_id text collate "C" not null,
  plan_name text not null,
  interval text not null,
  user_id text collate "C",
  return_url text,
  cancel_url text,
  provider_id text collate "C",
  created_at timestamptz not null,
  constraint checkouts_pkey primary key (business_id, id)
);

-- Addresses that bounced, whose owner complained, or left everything: no newsletter of this business goes there.
create table newsletter.suppressions (
  business_id text collate "C" not null,
  email_key text collate "C" not null,
  reason text not null,
  created_at timestamptz not null,
  constraint suppressions_pkey primary key (business_id, email_key),
  constraint suppressions_reason_check check (reason in ('BOUNCE', 'COMPLAINT', 'UNSUBSCRIBED'))
);

-- One sending of an entry. What is sent (`subject`, `html`, `body`) is fixed when it starts, and so is who gets it: recipients are
-- written in batches, up to `plan_after`, until `is_planned`. The counters are those of its recipients' final states.
create table newsletter.sends (
  business_id text collate "C" not null,
  id text collate "C" not null,
  entry_id text collate "C" not null,
  collection_id text collate "C" not null,
  status text collate "C" not null,
  on_uncertain text not null,
  scheduled_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  problem text,
  from_name text,
  reply_to text,
  subject text,
  html text,
  body text,
  plan_after text collate "C" not null default '',
  is_planned boolean not null default false,
  total integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  suppressed integer not null default 0,
  uncertain integer not null default 0,
  user_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint sends_pkey primary key (business_id, id),
  constraint sends_status_check check (status in ('SCHEDULED', 'RUNNING', 'PAUSED', 'DONE', 'CANCELLED')),
  constraint sends_uncertain_check check (on_uncertain in ('SKIP', 'RESEND')),
  constraint sends_counters_check check (least(sent, failed, suppressed, uncertain) >= 0
    and sent + failed + suppressed + uncertain <= total)
) with (fillfactor = 50); -- every batch of results changes its row
create unique index sends_live on newsletter.sends (business_id, entry_id) where status in ('SCHEDULED', 'RUNNING', 'PAUSED');
create index sends_by_entry on newsletter.sends (business_id, entry_id, id);
create index sends_open on newsletter.sends (status, scheduled_at) where status in ('SCHEDULED', 'RUNNING');

-- PLANNED → SENDING (by `sender`, while the mail is being handed over) → a final state, or PLANNED again from `due_at` on.
create table newsletter.recipients (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  state text collate "C" not null,
  attempts integer not null default 0,
  due_at timestamptz not null,
  sender text collate "C",
  response text,
  updated_at timestamptz not null,
  constraint recipients_pkey primary key (business_id, send_id, subscription_id),
  constraint recipients_state_check check (state in ('PLANNED', 'SENDING', 'SENT', 'FAILED', 'SUPPRESSED', 'UNCERTAIN'))
) with (fillfactor = 80);
create index recipients_planned on newsletter.recipients (business_id, send_id, due_at, subscription_id) where state = 'PLANNED';
create index recipients_sending on newsletter.recipients (sender) where state = 'SENDING';

-- Processes that send. One that was not seen for a while is dead, and what it was sending is UNCERTAIN.
create table newsletter.senders (
  id text collate "C" not null,
  seen_at timestamptz not null,
  constraint senders_pkey primary key (id)
);

-- How many mails were handed out in a second: of a business, or (key '') of all.
create table newsletter.rates (
  key text collate "C" not null,
  second bigint not null,
  used integer not null,
  constraint rates_pkey primary key (key)
);

-- Which deployment may send from this database: a copy restored elsewhere may not.
create table newsletter.outbound (
  single boolean not null default true,
  deployment_id text not null,
  constraint outbound_pkey primary key (single),
  constraint outbound_single_check check (single)
);
