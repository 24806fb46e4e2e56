-- Where the days of a business begin. Processes of the version before write it back as they have read it.
alter table access.businesses add column time_zone text not null default 'UTC';
