-- no transaction
-- Led by time, for the worker that carries refunds out.
create index concurrently refunds_pending on payments.refunds (due_at) where status = 'PENDING';
