-- Subjects that a follower of events could not process, such as an order with a broken line. They have left cell.followed, so that
-- they do not hold up other subjects, and are retried from `retry_at` on.
create table cell.skipped_subjects (
  business_id text collate "C" not null,
  topic text collate "C" not null,
  subject text collate "C" not null,
  attempts integer not null,
  retry_at timestamptz not null,
  constraint skipped_subjects_pkey primary key (business_id, topic, subject)
);
create index skipped_subjects_due on cell.skipped_subjects (topic, retry_at);
