-- The archive that a business was imported from: the hash of its manifest. The same command, repeated, finds that it is done.
-- Processes of the version before leave it empty.
alter table access.businesses add column imported_from text collate "C";
-- The operator vouches for the invitation, who imported the business: its role counts without a member who could give it.
-- Processes of the version before ask for the permissions of `invited_by`, who is no member, and refuse it.
alter table access.invitations add column by_operator boolean not null default false;
