import { listSubscriptionsOf, presentSubscription } from '#modules/newsletter/index.ts'
import { exportOrdersOf } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import { writeFile } from '#platform/transfer/csv.ts'
import type { FileFormat } from '#platform/transfer/file.ts'
import { listComments } from './comments.ts'
import { type CustomerRow, presentCustomer, type Spent } from './customer.ts'
import { findCustomers, type Place } from './find-customers.ts'
import { idsOf } from './queries.ts'
import type { CustomerFilters } from './schemas.ts'

const BATCH = 200

/** All customers that match, by name. */
export const exportCustomers = (
  db: Db,
  businessId: string,
  filters: CustomerFilters,
  format: FileFormat,
): AsyncGenerator<string> =>
  writeFile(readPages(db, businessId, filters), format, {
    columns: COLUMNS.map(([name]) => name),
    toRows: (customer) =>
      (customer.spent.length > 0 ? customer.spent : [undefined]).map((spent) =>
        COLUMNS.map(([, cellOf]) => toCell(cellOf(customer, spent))),
      ),
    toLine: (customer) => JSON.stringify(presentCustomer(customer)),
  })

async function* readPages(db: Db, businessId: string, filters: CustomerFilters): AsyncGenerator<CustomerRow[]> {
  for (let after: Place | undefined; ; ) {
    const { rows, stop } = await findCustomers(db, { businessId, filters, sort: 'name', after, limit: BATCH })
    const shown = rows.slice(0, BATCH)
    if (shown.length > 0) yield shown
    const last = rows.length > BATCH ? shown.at(-1) : undefined
    after = last ? { key: last.sortKey, id: last.userId } : stop
    if (!after) return
  }
}

type Value = string | number | null | undefined | false
const toCell = (value: Value) => (value === null || value === undefined || value === false ? '' : String(value))

/** As spreadsheets read times. */
const toTime = (at: Date | null) => at && at.getTime() > 0 && at.toISOString().slice(0, 19).replace('T', ' ')

type Column = readonly [name: string, cellOf: (customer: CustomerRow, spent: Spent | undefined) => Value]

/** A row for each currency. What belongs to the customer stands in all of their rows. Sums are minor units (cents). */
const COLUMNS: readonly Column[] = [
  ['customerId', ({ userId }) => userId],
  ['name', ({ name }) => name],
  ['email', ({ email }) => email],
  ['phone', ({ phones }) => phones[0]],
  ['company', ({ addresses }) => addresses[0]?.company],
  ['street', ({ addresses }) => addresses[0]?.street],
  ['street2', ({ addresses }) => addresses[0]?.street2],
  ['zip', ({ addresses }) => addresses[0]?.zip],
  ['city', ({ addresses }) => addresses[0]?.city],
  ['state', ({ addresses }) => addresses[0]?.state],
  ['country', ({ addresses }) => addresses[0]?.country],
  ['tags', ({ tags }) => tags.join(', ')],
  ['isGuest', ({ isGuest }) => String(isGuest ?? false)],
  ['orders', ({ orders }) => orders],
  ['firstOrderAt', ({ firstOrderAt }) => toTime(firstOrderAt)],
  ['lastOrderAt', ({ lastOrderAt }) => toTime(lastOrderAt)],
  ['currency', (_, spent) => spent?.currency],
  ['spent', (_, spent) => spent?.amount],
  ['paidOrders', (_, spent) => spent?.orders],
]

/** Everything that the business keeps about one customer, as one JSON document. */
export async function* exportCustomer(db: Db, customer: CustomerRow): AsyncGenerator<string> {
  const { businessId } = customer
  const ids = await idsOf(db, customer)
  const part = (name: string) => `,${JSON.stringify(name)}:[`
  yield `{"customer":${JSON.stringify(presentCustomer(customer))},"guestIds":${JSON.stringify(ids.slice(1))}`
  yield part('comments')
  yield* joined(readComments(db, customer))
  yield `]${part('subscriptions')}`
  yield* joined(readSubscriptions(db, businessId, ids))
  yield `]${part('orders')}`
  yield* joined(exportOrdersOf(db, businessId, ids))
  yield ']}\n'
}

async function* readComments(db: Db, customer: CustomerRow): AsyncGenerator<string[]> {
  for (let cursor: string | undefined; ; ) {
    const page = await listComments(db, customer, { limit: 100, ...(cursor && { cursor }) })
    yield page.items.map((comment) => JSON.stringify(comment))
    if (page.cursor === null) return
    cursor = page.cursor
  }
}

async function* readSubscriptions(db: Db, businessId: string, ids: readonly string[]): AsyncGenerator<string[]> {
  for (let after = '~'; ; ) {
    const rows = await listSubscriptionsOf(db, businessId, ids, after, BATCH)
    yield rows.map((row) => JSON.stringify(presentSubscription(row)))
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

async function* joined(pages: AsyncIterable<string[]>): AsyncGenerator<string> {
  let isFirst = true
  for await (const page of pages) {
    if (page.length === 0) continue
    yield `${isFirst ? '' : ','}${page.join(',')}`
    isFirst = false
  }
}
