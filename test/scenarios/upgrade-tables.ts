import { partitionStatements } from '#platform/database/partitions.ts'
import type { Filler } from './upgrade.ts'

/** As many as the service is made for; every other table gets as many rows as are asked for. */
const BUSINESSES = 100_000

/**
 * Rows and writes of each table that a migration has locked or rewritten, as the first release had it and in its words. Tables that
 * others refer to come first. A migration that locks another table adds it here.
 */
export const TABLES: Record<string, Filler> = {
  'access.businesses': {
    fill: (rows) => `
      insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, stripe_account_id, cell,
                                     created_at, updated_at)
      select 'biz_' || n, 'Business ' || n, 'business-' || n, 'en', '{en}', '{}', '[]', 'acct_' || n, 'main', now(), now()
        from generate_series(0, least(${rows}, ${BUSINESSES}) - 1) as n`,
    writes: [
      `insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
       select 'biz_new_' || $1::int, 'New', 'new-' || $1::int, 'en', '{en}', '{}', '[]', 'main', now(), now()
        where $2::int is not null`,
      `update access.businesses set name = 'Name ' || $1::int, version = version + 1, updated_at = now()
        where id = 'biz_' || $2::int % ${BUSINESSES}`,
    ],
  },
  'access.customers': {
    fill: (rows) => `
      insert into access.customers (business_id, user_id, created_at)
      select 'biz_' || n % 1000, 'usr_' || n, now() from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into access.customers (business_id, user_id, created_at)
       select 'biz_new', 'usr_' || $1::int, now() where $2::int is not null`,
      `insert into access.customers (business_id, user_id, created_at)
       select 'biz_' || $2::int % 1000, 'usr_' || $2::int, now() where $1::int is not null
           on conflict do nothing`,
    ],
  },
  'access.invitations': {
    fill: (rows) => `
      insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
      select 'biz_' || n, 'Business ' || n, 'business-' || n, 'en', '{en}', '{}', '[]', 'main', now(), now()
        from generate_series(0, 999) as n
          on conflict do nothing;
      insert into access.roles (business_id, id, name, permissions, created_at, updated_at)
      select 'biz_' || n, 'role_1', 'Clerk', '{ORDERS_READ}', now(), now() from generate_series(0, 999) as n;
      insert into access.invitations (business_id, id, email, role_id, invited_by, expires_at, created_at)
      select 'biz_' || n % 1000, 'inv_' || n, 'User' || n || '@example.com', 'role_1', 'usr_1', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into access.invitations (business_id, id, email, role_id, invited_by, expires_at, created_at)
       select 'biz_' || $2::int % 1000, 'inv_new_' || $1::int, 'new' || $1::int || '@example.com', 'role_1', 'usr_1', now(), now()`,
      `update access.invitations set accepted_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'inv_' || $2::int and $1::int is not null`,
    ],
  },
  'accounts.users': {
    fill: (rows) => `
      insert into accounts.users (id, name, email, email_key, is_guest, confirmed_at, created_at, updated_at)
      select 'usr_' || n, 'User ' || n, email, email, email is null, case when n % 5 > 0 then now() end, now(), now()
        from generate_series(0, ${rows} - 1) as n
       cross join lateral (select case when n % 3 > 0 then 'user' || n || '@example.com' end as email) as address`,
    writes: [
      `insert into accounts.users (id, is_guest, created_at, updated_at)
       select 'usr_new_' || $1::int, true, now(), now() where $2::int is not null`,
      "update accounts.users set name = 'Name ' || $1::int, updated_at = now() where id = 'usr_' || $2::int",
    ],
  },
  'accounts.sessions': {
    fill: (rows) => `
      insert into accounts.users (id, created_at, updated_at)
      select 'usr_' || n, now(), now() from generate_series(0, ${rows} - 1) as n
          on conflict do nothing;
      insert into accounts.sessions (id, user_id, provider, created_at, last_used_at, revoked_at)
      select 'ses_' || n, 'usr_' || n, case when n % 2 = 0 then 'GUEST' else 'EMAIL' end, now(), now(),
             case when n % 4 = 0 then now() end
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into accounts.sessions (id, user_id, provider, created_at, last_used_at)
       values ('ses_new_' || $1::int, 'usr_' || $2::int, 'GUEST', now(), now())`,
      "update accounts.sessions set last_used_at = now() where id = 'ses_' || $2::int and $1::int is not null",
    ],
  },
  'accounts.api_keys': {
    fill: (rows) => `
      insert into accounts.users (id, created_at, updated_at)
      select 'usr_' || n, now(), now() from generate_series(0, 999) as n
          on conflict do nothing;
      insert into accounts.api_keys (user_id, id, name, key_hash, last4, created_at)
      select 'usr_' || n % 1000, 'ak_' || n, 'Key', int4send(n), 'abcd', now() from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into accounts.api_keys (user_id, id, name, key_hash, last4, created_at)
       values ('usr_' || $2::int % 1000, 'ak_new_' || $1::int, 'Key', int4send(-$1::int), 'abcd', now())`,
      `delete from accounts.api_keys
        where user_id = 'usr_' || $2::int % 1000 and id = 'ak_' || $2::int and $1::int is not null`,
    ],
  },
  'cell.event_outbox': {
    fill: (rows) => `
      insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
      select 'biz_' || n % 1000, 'evt_' || n, case when n % 100 = 0 then 'order.status-changed' else 'order.paid' end,
             'ord_' || n, 'system', '{}', now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
       values ('biz_new', 'evt_new_' || $1::int, 'order.status-changed', 'ord_' || $2::int, 'system', '{}', now())`,
    ],
  },
  // What the sequencer writes: the next number, and the row of it.
  'cell.events': {
    fill: (rows) => `
      ${partitionStatements('cell.events', new Date()).join(';')};
      insert into cell.event_counters (business_id, last_number)
      select 'biz_' || n, (${rows} + 999 - n) / 1000 from generate_series(0, least(${rows}, 1000) - 1) as n;
      insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
      select 'biz_' || n % 1000, n / 1000 + 1, 'evt_' || n, 'order.status-changed', 'ord_' || n, 'system', '{}', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `with next as (
         update cell.event_counters set last_number = last_number + 1
          where business_id = 'biz_' || $2::int % 1000 returning business_id, last_number)
       insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
       select business_id, last_number, 'evt_new_' || $1::int, 'order.paid', 'ord_1', 'system', '{}', now(), now() from next`,
    ],
  },
  'catalog.variants': {
    fill: (rows) => `
      insert into catalog.products (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version,
                                    document, created_at, updated_at)
      select 'biz_' || n, 'prod_' || n, 'Product', 'product-' || n, '', '', '[]', '[]', '[]', 'ACTIVE', 1, '{}', now(), now()
        from generate_series(0, 999) as n;
      insert into catalog.variants (business_id, product_id, id, position, name, sku, attributes, prices, gallery)
      select 'biz_' || n % 1000, 'prod_' || n % 1000, 'var_' || n, 0, 'Variant', 'SKU-' || n, '[]', '[]', '[]'
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into catalog.variants (business_id, product_id, id, position, name, sku, attributes, prices, gallery)
       select 'biz_' || $2::int % 1000, 'prod_' || $2::int % 1000, 'var_new_' || $1::int, 0, 'New', '', '[]', '[]', '[]'`,
      `update catalog.variants set name = 'Name ' || $1::int
        where business_id = 'biz_' || $2::int % 1000 and product_id = 'prod_' || $2::int % 1000 and id = 'var_' || $2::int`,
    ],
  },
  'catalog.stock_movements': {
    fill: (rows) => `
      insert into catalog.stock_movements (business_id, product_id, variant_id, number, delta, quantity, kind, reference, created_at)
      select 'biz_' || n % 1000, 'prod_' || n, 'one', 1, -1, 0, 'ORDER', 'ord_' || n, now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into catalog.stock_movements (business_id, product_id, variant_id, number, delta, quantity, kind, reference, created_at)
       select 'biz_new', 'prod_' || $1::int, 'one', 1, -1, 0, 'ORDER', 'ord_' || $1::int, now() where $2::int is not null`,
    ],
  },
  'orders.orders': {
    fill: (rows) => `
      insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount,
                                 total, blocks, statuses, status, payment_statuses, payment_status, expires_at, created_at,
                                 updated_at)
      select 'biz_' || n % 1000, 'ord_' || n, n::text, 'usr_' || n, 'us', 'USD', '[]', 1000, 0, 0, 0, 1000, '[]', '[]',
             case when n % 10 = 0 then 'PENDING' else 'CONFIRMED' end, '[]',
             case when n % 10 = 0 then 'PENDING' else 'PAID' end, now(), now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount,
                                  total, blocks, statuses, status, payment_statuses, payment_status, expires_at, created_at,
                                  updated_at)
       select 'biz_new', 'ord_' || $1::int, $1::int::text, 'usr_' || $2::int, 'us', 'USD', '[]', 1000, 0, 0, 0, 1000, '[]', '[]',
              'PENDING', '[]', 'PENDING', now(), now(), now()`,
      `update orders.orders set status = 'CONFIRMED', payment_status = 'PAID', version = version + 1, updated_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'ord_' || $2::int and $1::int is not null`,
    ],
  },
  'content.collections': {
    fill: (rows) => `
      insert into content.collections (business_id, id, name, slug, description, type, blocks, statuses, status, plans, is_paid,
                                       schema_version, version, document, created_at, updated_at)
      select 'biz_' || n % 1000, 'col_' || n, 'Collection', 'collection-' || n, '', 'STANDARD', '[]', '[]', 'DRAFT', '[]',
             false, 1, 1, '{}', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `update content.collections set version = version + 1, updated_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'col_' || $2::int and $1::int is not null`,
      `insert into content.collections (business_id, id, name, slug, description, type, blocks, statuses, status, plans, is_paid,
                                        schema_version, version, document, created_at, updated_at)
       select 'biz_new', 'col_' || $1::int, 'New', 'new-' || $1::int, '', 'STANDARD', '[]', '[]', 'DRAFT', '[]', false, 1, 1,
              '{}', now(), now() where $2::int is not null`,
    ],
  },
  'newsletter.subscriptions': {
    fill: (rows) => `
      insert into content.collections (business_id, id, name, slug, description, type, blocks, statuses, status, plans, is_paid,
                                       schema_version, version, document, created_at, updated_at)
      select 'biz_' || n, 'col_' || n, 'Letters', 'collection-' || n, '', 'NEWSLETTER', '[]', '[]', 'PUBLISHED', '[]', false, 1, 1,
             '{}', now(), now()
        from generate_series(0, 999) as n
          on conflict do nothing;
      insert into newsletter.subscriptions (business_id, id, collection_id, email, email_key, name, status, secret, created_at,
                                            updated_at)
      select 'biz_' || n % 1000, 'sub_' || n, 'col_' || n % 1000, 'user' || n, 'user' || n, '', 'ACTIVE', 'secret', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into newsletter.subscriptions (business_id, id, collection_id, email, email_key, name, status, secret, created_at,
                                             updated_at)
       select 'biz_' || $2::int % 1000, 'sub_new_' || $1::int, 'col_' || $2::int % 1000, 'new' || $1::int, 'new' || $1::int, '',
              'PENDING', 'secret', now(), now()`,
      `update newsletter.subscriptions set status = 'CANCELLED', updated_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'sub_' || $2::int and $1::int is not null`,
    ],
  },
  'payments.payments': {
    fill: (rows) => `
      insert into payments.payments (business_id, id, subject, attempt, amount, currency, status, paid, expires_at, checked_at,
                                     created_at, updated_at)
      select 'biz_' || n % 1000, 'pay_' || n, 'order:ord_' || n, 1, 1000, 'USD', 'PAID', 1000, now(), now(), now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into payments.payments (business_id, id, subject, attempt, amount, currency, status, expires_at, checked_at,
                                      created_at, updated_at)
       select 'biz_new', 'pay_' || $1::int, 'order:ord_' || $1::int, 1, 1000, 'USD', 'OPENING', now(), now(), now(), now()
        where $2::int is not null`,
      `update payments.payments set checked_at = now(), updated_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'pay_' || $2::int and $1::int is not null`,
    ],
  },
  'payments.events': {
    fill: (rows) => `
      insert into payments.events (business_id, id, type, body, received_at)
      select 'biz_' || n % 1000, 'evt_' || n, 'checkout.session.completed', '{}', now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into payments.events (business_id, id, type, body, received_at)
       select 'biz_new', 'evt_' || $1::int, 'checkout.session.completed', '{}', now() where $2::int is not null`,
      `update payments.events set applied_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'evt_' || $2::int and $1::int is not null`,
    ],
  },
  // Those that are asked for, one in ten, are written again; those that are done never are.
  'payments.refunds': {
    fill: (rows) => `
      insert into payments.payments (business_id, id, subject, attempt, amount, currency, status, paid, expires_at, checked_at,
                                     created_at, updated_at)
      select 'biz_' || n % 1000, 'pay_' || n, 'order:ord_' || n, 1, 1000, 'USD', 'PAID', 1000, now(), now(), now(), now()
        from generate_series(0, ${rows} - 1) as n
          on conflict do nothing;
      insert into payments.refunds (business_id, id, payment_id, amount, status, due_at, created_at, updated_at)
      select 'biz_' || n % 1000, 'ref_' || n, 'pay_' || n, 1000, case when n % 10 = 0 then 'ASKED' else 'DONE' end, now(), now(),
             now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into payments.refunds (business_id, id, payment_id, amount, status, due_at, created_at, updated_at)
       select 'biz_' || $2::int % 1000, 'ref_new_' || $1::int, 'pay_' || $2::int, 1000, 'ASKED', now(), now(), now()`,
      `update payments.refunds set due_at = now()
        where business_id = 'biz_' || $2::int / 10 * 10 % 1000 and id = 'ref_' || $2::int / 10 * 10 and $1::int is not null`,
    ],
  },
}
