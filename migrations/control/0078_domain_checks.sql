-- Domains that are proven by a text record are checked daily, and lapse when the record stays away.
alter table accounts.sign_in_domains
  add column last_checked_at timestamptz,
  add column last_result text, -- FOUND, MISSING, UNREACHABLE
  add column failing_since timestamptz; -- of a proven one
