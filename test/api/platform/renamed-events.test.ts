import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '#platform/database/migrate.ts'
import { withDatabaseBefore } from '../../scenarios/upgrade.ts'
import { onServer } from '../../support/database.ts'

const FIRST = '0012_event_types.sql'

const RENAMED = {
  'order.paid': 'order.paid',
  'order.status-changed': 'order.status_changed',
  'order.payment-status-changed': 'order.payment_status_changed',
  'order.refund-asked': 'order.refund_requested',
  'order.refund-made': 'order.refunded',
  'order.refund-failed': 'order.refund_failed',
  'payment.in-vain': 'payment.unexpected',
  'entry.publish-failed': 'entry.publish_failed',
  'subscription.past-due': 'subscription.past_due',
  'subscriber-import.finished': 'subscriber_import.finished',
  'newsletter.send-planned': 'newsletter.send_planned',
  'newsletter.send-started': 'newsletter.send_started',
  'newsletter.send-paused': 'newsletter.send_paused',
  'newsletter.send-resumed': 'newsletter.send_resumed',
  'newsletter.send-cancelled': 'newsletter.send_cancelled',
  'newsletter.send-failed': 'newsletter.send_failed',
  'newsletter.send-done': 'newsletter.send_done',
}

const MANY = 25_000 // more than one transaction takes

const OUTBOX = `
  insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
  select 'biz_1', 'evt_' || n, type, 'ord_1', 'system', '{}', now()
    from unnest($1::text[]) with ordinality as old (type, n) order by n`

const FEED = `
  insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
  select 'biz_' || n % 2, 1 + n / 2, 'evt_' || n, ($1::text[])[1 + n % cardinality($1)], 'ord_1', 'system', '{}', now(),
         now() - n * interval '1 minute'
    from generate_series(0, 2 * ${MANY} - 1) as n`

test('events that wait, that are in the feed and that the version before still writes get the words of now', () =>
  withDatabaseBefore('cell', FIRST, (url) =>
    onServer(async (client) => {
      const old = Object.keys(RENAMED)
      await client.query('delete from cell.migrations where name > $1', [FIRST])
      await client.query(OUTBOX, [old])
      await client.query(FEED, [old])
      await client.query("insert into cell.event_counters values ('biz_0', $1), ('biz_1', $1)", [MANY])
      await migrate(url, ['cell'])
      await client.query(OUTBOX, [old])

      const outbox = await client.query('select type from cell.event_outbox order by position')
      const types = outbox.rows.map(({ type }) => type)
      assert.deepEqual(types, [...Object.values(RENAMED), ...Object.values(RENAMED)])
      const feed = await client.query('select id, type from cell.events order by substr(id, 5)::int')
      const expected = Array.from({ length: 2 * MANY }, (_, n) => RENAMED[old[n % old.length] as keyof typeof RENAMED])
      assert.deepEqual(
        feed.rows.map(({ type }) => type),
        expected,
      )
    }, url),
  ))
