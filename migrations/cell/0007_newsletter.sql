-- Newsletter subscriptions, sends with their recipients, automations, imports, and suppressed addresses.
create schema newsletter;

-- A subscription of an email address to a newsletter. It receives sends that start after `activated_at`. `provider_id` is the
-- subscription at the payment provider, for a paid plan.
create table newsletter.subscriptions (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  plan_id text collate "C",
  status text collate "C" not null,
  user_id text collate "C",
  checkout_id text collate "C",
  provider_id text collate "C",
  account text collate "C",
  activated_at timestamptz,
  confirm_sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Whether clicks and opens of the subscriber may be tracked.
  counts_clicks boolean not null default true,
  -- Market for prices in emails, as of the time of subscribing. Null: unknown.
  market text collate "C",
  constraint subscriptions_pkey primary key (business_id, id),
  constraint subscriptions_email_key unique (business_id, collection_id, email_key),
  constraint subscriptions_status_check check (status in ('PENDING', 'ACTIVE', 'PAST_DUE', 'CANCELLED')),
  constraint subscriptions_collection_fkey foreign key (business_id, collection_id)
    references content.collections (business_id, id) on delete cascade
);
create index subscriptions_by_collection on newsletter.subscriptions (business_id, collection_id, id);
create index subscriptions_active on newsletter.subscriptions (business_id, collection_id, id) where status = 'ACTIVE';
create index subscriptions_by_email on newsletter.subscriptions (business_id, email_key);
create index subscriptions_by_plan on newsletter.subscriptions (business_id, collection_id, plan_id)
  where status in ('ACTIVE', 'PAST_DUE', 'PENDING');
-- Subscriptions of a customer. Imported ones have no user.
create index subscriptions_by_user on newsletter.subscriptions (business_id, user_id, id) where user_id is not null;

-- Checkouts of paid plans. The payment has the subject `newsletter:<id>`; once paid, the checkout becomes a subscription.
-- `provider_id` is the subscription at the payment provider.
create table newsletter.checkouts (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  email text not null,
  name text not null,
  plan_id text collate "C" not null,
  plan_name text not null,
  "interval" text not null,
  user_id text collate "C",
  return_url text,
  cancel_url text,
  provider_id text collate "C",
  created_at timestamptz not null,
  market text collate "C",
  constraint checkouts_pkey primary key (business_id, id)
);
create index checkouts_by_user on newsletter.checkouts (business_id, user_id, id) where user_id is not null;

-- Email addresses that receive no newsletter of the business. Addresses of erased people are hashed.
create table newsletter.suppressions (
  business_id text collate "C" not null,
  email_key text collate "C" not null,
  reason text not null,
  created_at timestamptz not null,
  constraint suppressions_pkey primary key (business_id, email_key),
  constraint suppressions_reason_check check (reason in ('BOUNCE', 'COMPLAINT', 'UNSUBSCRIBED'))
);

-- A send of an entry. The email (`subject`, `html`, `body`) and its recipients are fixed when the send starts. Recipients are
-- added in batches up to the subscription `plan_after`, until `is_planned`. The counters are of recipients in a final state. A
-- send to the remaining recipients of an earlier one (`remainder_of`) goes to those in `remainder_states`, with the same email.
-- `links` are the URLs of the email if clicks are tracked; a tracked link refers to one by index, so it cannot redirect
-- elsewhere. A send of an automation takes recipients who become due until `takes_until`, and is not DONE before.
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
  remainder_of text collate "C",
  remainder_states text[] collate "C",
  links text[],
  -- Conditions that recipients have to meet, all of them. Null: all subscribers.
  conditions json,
  automation_id text collate "C",
  takes_until timestamptz,
  counts_opens boolean not null default false,
  constraint sends_pkey primary key (business_id, id),
  constraint sends_status_check check (status in ('SCHEDULED', 'RUNNING', 'PAUSED', 'DONE', 'CANCELLED')),
  constraint sends_uncertain_check check (on_uncertain in ('SKIP', 'RESEND')),
  constraint sends_counters_check check (
    least(sent, failed, suppressed, uncertain) >= 0 and sent + failed + suppressed + uncertain <= total
  )
) with (fillfactor = 50);
-- One unfinished send per entry.
create unique index sends_live on newsletter.sends (business_id, entry_id) where status in ('SCHEDULED', 'RUNNING', 'PAUSED');
create index sends_by_entry on newsletter.sends (business_id, entry_id, id);
create index sends_open on newsletter.sends (status, scheduled_at) where status in ('SCHEDULED', 'RUNNING');
create index sends_by_remainder on newsletter.sends (business_id, remainder_of) where remainder_of is not null;
-- Latest sends of an automation.
create index sends_by_automation on newsletter.sends (business_id, automation_id, id) where automation_id is not null;
-- For operators: recent sends of all businesses. Contains no counter, because those are updated with every batch.
create index sends_finished on newsletter.sends (finished_at) where finished_at is not null;

-- PLANNED → SENDING, while `sender` delivers the email → a final state, or PLANNED again from `due_at` on.
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
create index recipients_not_reached on newsletter.recipients (business_id, send_id, state, subscription_id)
  where state in ('FAILED', 'SUPPRESSED', 'UNCERTAIN');

-- Processes that send emails, with their last heartbeat. If a process dies, the recipients that it was sending to are UNCERTAIN.
create table newsletter.senders (
  id text collate "C" not null,
  seen_at timestamptz not null,
  constraint senders_pkey primary key (id)
);

-- Emails sent in the current second, by business and in total (key ''), and in the current day (key `<business>/day`). `second`
-- is the number of that second or day since 1970.
create table newsletter.rates (
  key text collate "C" not null,
  second bigint not null,
  used integer not null,
  constraint rates_pkey primary key (key)
);

-- The deployment that may send from this database, so that a copy restored elsewhere does not.
create table newsletter.outbound (
  single boolean not null default true,
  deployment_id text not null,
  constraint outbound_pkey primary key (single),
  constraint outbound_single_check check (single)
);

-- Imports of subscribers, as in catalog.imports. `skipped`: addresses left unchanged.
create table newsletter.imports (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  status text not null,
  total integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  position integer not null default 0,
  actor jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  unknown_columns jsonb not null default '[]' check (jsonb_typeof(unknown_columns) = 'array'),
  constraint imports_pkey primary key (business_id, id),
  constraint imports_status_check check (status in ('RECEIVING', 'RUNNING', 'DONE'))
);
create index imports_created_at on newsletter.imports (created_at);

-- Rows that are still to be imported, and rows with errors (`details`). Imported rows are deleted.
create table newsletter.import_rows (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  line text not null,
  details jsonb,
  constraint import_rows_pkey primary key (business_id, import_id, number)
);
create index import_rows_failed on newsletter.import_rows (business_id, import_id, number) where details is not null;

-- Clicks of a subscriber on a link of a send. `link` is an index into `links` of the send.
create table newsletter.clicks (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  link integer not null,
  clicks integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  constraint clicks_pkey primary key (business_id, send_id, subscription_id, link),
  constraint clicks_number_check check (clicks > 0 and link >= 0)
) with (fillfactor = 80);

-- Emails sent by a trigger, `delay_minutes` after it. A subscriber receives the email at most `times` in `days`. Triggers before
-- `enabled_at` do not count. `problem` is why the email could not be sent when it was due.
create table newsletter.automations (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  entry_id text collate "C" not null,
  trigger text collate "C" not null,
  delay_minutes integer not null,
  times integer not null,
  days integer not null,
  is_enabled boolean not null,
  enabled_at timestamptz not null,
  problem text,
  problem_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint automations_pkey primary key (business_id, id),
  constraint automations_trigger_key unique (business_id, collection_id, trigger),
  constraint automations_entry_key unique (business_id, entry_id),
  constraint automations_trigger_check check (trigger in ('WELCOME', 'CHECKOUT_UNFINISHED', 'BACK_IN_STOCK')),
  constraint automations_delay_check check (delay_minutes between 0 and 43200),
  constraint automations_limit_check check (times between 1 and 10 and days between 1 and 365),
  constraint automations_collection_fkey foreign key (business_id, collection_id)
    references content.collections (business_id, id) on delete cascade
);
create index automations_enabled on newsletter.automations (business_id, id) where is_enabled;

-- Last event processed for automations. Only businesses with automations have a row.
create table newsletter.feed_positions (
  business_id text collate "C" not null,
  number bigint not null,
  constraint feed_positions_pkey primary key (business_id)
);

-- Emails of automations that are due. `cause` identifies the trigger, so that it counts once. WAITING → PLANNED, a recipient of
-- `send_id`, or SKIPPED for a `reason`. `goods`: the products to show in the email.
create table newsletter.due_letters (
  business_id text collate "C" not null,
  automation_id text collate "C" not null,
  subscription_id text collate "C" not null,
  cause text collate "C" not null,
  product_id text collate "C",
  variant_id text collate "C",
  due_at timestamptz not null,
  state text collate "C" not null,
  reason text collate "C",
  send_id text collate "C",
  goods json,
  decided_at timestamptz,
  constraint due_letters_pkey primary key (business_id, automation_id, subscription_id, cause),
  constraint due_letters_state_check check (state in ('WAITING', 'PLANNED', 'SKIPPED')),
  constraint due_letters_reason_check check ((state = 'SKIPPED') = (reason is not null)),
  constraint due_letters_send_check check ((state = 'PLANNED') = (send_id is not null))
) with (fillfactor = 80);
create index due_letters_waiting on newsletter.due_letters (business_id, automation_id, due_at, cause) where state = 'WAITING';
create unique index due_letters_by_send on newsletter.due_letters (business_id, send_id, subscription_id)
  where send_id is not null;

-- Subscribers who want to be notified when a variant is back in stock. Deleted when the email is due.
create table newsletter.wishes (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  subscription_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  user_id text collate "C",
  created_at timestamptz not null,
  constraint wishes_pkey primary key (business_id, product_id, variant_id, subscription_id)
);
create index wishes_by_subscription on newsletter.wishes (business_id, subscription_id);

-- Unsubscribes through the link in a send. Kept after a new subscription, for the delivery report.
create table newsletter.unsubscribes (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  left_at timestamptz not null,
  constraint unsubscribes_pkey primary key (business_id, send_id, subscription_id)
);

-- Subscribers who opened the email of a send.
create table newsletter.opens (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  first_at timestamptz not null,
  constraint opens_pkey primary key (business_id, send_id, subscription_id)
);
