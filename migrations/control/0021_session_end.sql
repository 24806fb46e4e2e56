-- Sessions of the dashboard end some time after the login, whatever holds their token. Others have no end of their own: null.
alter table accounts.sessions add column ends_at timestamptz;
