-- Set by the operator: nobody gets at the business through the API until it is taken away.
alter table access.businesses add column suspended_at timestamptz;
