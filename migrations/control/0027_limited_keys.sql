-- What an API key may do at most, and until when. Null: all that its user may, without an end.
-- Keys that have either are hashed for a purpose of their own: processes of the version before, which know neither column,
-- do not find them, instead of letting them do everything.
alter table accounts.api_keys
  add column permissions text[],
  add column expires_at timestamptz,
  add column last_used_at timestamptz,
  add constraint api_keys_permissions_some check (permissions is null or cardinality(permissions) > 0) not valid;
alter table accounts.api_keys validate constraint api_keys_permissions_some;
