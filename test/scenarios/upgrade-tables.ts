import { partitionStatements } from '#platform/database/partitions.ts'
import type { Filler } from './upgrade.ts'

/** As many as the service is made for; every other table gets as many rows as are asked for. */
const BUSINESSES = 100_000

/**
 * Rows and writes of the tables that migrations after the baseline lock, with the columns of the baseline. A migration that locks
 * another table adds it here.
 */
export const TABLES: Record<string, Filler> = {
  'access.businesses': {
    fill: (rows) => `
      insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, payment_account, cell,
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
  'cell.events': {
    fill: (rows) => `
      ${partitionStatements('cell.events', new Date()).join(';')};
      insert into cell.event_counters (business_id, last_number)
      select 'biz_' || n, (${rows} + 999 - n) / 1000 from generate_series(0, least(${rows}, 1000) - 1) as n;
      insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
      select 'biz_' || n % 1000, n / 1000 + 1, 'evt_' || n, 'order.status_changed', 'ord_' || n, 'system', '{}', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `with next as (
         update cell.event_counters set last_number = last_number + 1
          where business_id = 'biz_' || $2::int % 1000 returning business_id, last_number)
       insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
       select business_id, last_number, 'evt_new_' || $1::int, 'order.paid', 'ord_1', 'system', '{}', now(), now() from next`,
    ],
  },
  'orders.orders': {
    fill: (rows) => `
      insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount,
                                 total, blocks, statuses, status, payment_statuses, payment_status, shipping_tax, taxes,
                                 expires_at, created_at, updated_at)
      select 'biz_' || n % 1000, 'ord_' || n, n::text, 'usr_' || n, 'us', 'USD', '[]', 1000, 0, 0, 0, 1000, '[]', '[]',
             case when n % 10 = 0 then 'PENDING' else 'CONFIRMED' end, '[]',
             case when n % 10 = 0 then 'PENDING' else 'PAID' end, 0, '{}', now(), now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount,
                                  total, blocks, statuses, status, payment_statuses, payment_status, shipping_tax, taxes,
                                  expires_at, created_at, updated_at)
       select 'biz_new', 'ord_' || $1::int, $1::int::text, 'usr_' || $2::int, 'us', 'USD', '[]', 1000, 0, 0, 0, 1000, '[]', '[]',
              'PENDING', '[]', 'PENDING', 0, '{}', now(), now(), now()`,
      `update orders.orders set status = 'CONFIRMED', payment_status = 'PAID', version = version + 1, updated_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'ord_' || $2::int and $1::int is not null`,
    ],
  },
}
