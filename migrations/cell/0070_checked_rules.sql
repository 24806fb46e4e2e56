-- `rules`: those of the last check that ended, `unchecked` among them, in the order of their names. Whoever was checked before this
-- column came has none: nobody noted which they were.
alter table checks.businesses add column rules text[] not null default '{}';
