-- no transaction
-- The few of a send whom it did not reach, to list them and to send to the rest. Rows come in once, at their end.
create index concurrently if not exists recipients_not_reached
  on newsletter.recipients (business_id, send_id, state, subscription_id) where state in ('FAILED', 'SUPPRESSED', 'UNCERTAIN');
