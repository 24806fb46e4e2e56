-- Letters that go out by themselves: which letter of a newsletter, after what, how much later, and how often to a person.
-- `enabled_at`: what happened before is none of its business. `problem`: why its letter could not be sent when somebody was due.
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
  constraint automations_collection_fkey foreign key (business_id, collection_id)
    references content.collections on delete cascade,
  constraint automations_trigger_check check (trigger in ('WELCOME', 'CHECKOUT_UNFINISHED', 'BACK_IN_STOCK')),
  constraint automations_delay_check check (delay_minutes between 0 and 43200),
  constraint automations_limit_check check (times between 1 and 10 and days between 1 and 365)
);
create index automations_enabled on newsletter.automations (business_id, id) where is_enabled;

-- Up to which event the feed of a business was followed. Only of businesses with a letter that goes out by itself.
create table newsletter.feed_positions (
  business_id text collate "C" not null,
  number bigint not null,
  constraint feed_positions_pkey primary key (business_id)
);

-- To whom such a letter is due, and because of what: `cause` names it, so that it counts once. WAITING → PLANNED, a recipient of
-- `send_id`, or SKIPPED, for a `reason`. `goods` is what the letter can say about the occasion.
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
create unique index due_letters_by_send on newsletter.due_letters (business_id, send_id, subscription_id) where send_id is not null;

-- Readers who wait for a variant that is sold out. Gone when the letter is due.
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

-- A send of such a letter takes in whoever becomes due until `takes_until`, and is not done before.
alter table newsletter.sends
  add column automation_id text collate "C",
  add column takes_until timestamptz;
