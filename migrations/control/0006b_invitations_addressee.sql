-- Looks at the invitations that are there, while others are written.
alter table access.invitations validate constraint invitations_addressee;
