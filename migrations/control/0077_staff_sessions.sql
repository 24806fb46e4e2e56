-- A session by the sign-in provider of a business acts in that business only, until its person confirms it with a sign-in
-- method of their own. Processes of the version before do not know the limit.
alter table accounts.sessions add column confirmed_with text; -- PASSWORD, TOTP, PASSKEY, RECOVERY_CODE
