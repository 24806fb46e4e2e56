import { exportEntriesOf } from '#modules/content/index.ts'
import { exportOwnSubscriptions } from '#modules/newsletter/index.ts'
import { exportOwnOrders } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'

type Own = { businessId: string; ids: readonly string[]; emailKey: string | null }

/** What a person has in a business, as they see it themselves: members of a JSON object, in pieces. */
export async function* exportOwn(cell: Db, own: Own): AsyncGenerator<string> {
  yield '"subscriptions":['
  yield* joined(exportOwnSubscriptions(cell, own), JSON.stringify)
  yield '],"orders":['
  yield* joined(withEntries(cell, own), (text) => text)
  yield ']'
}

/** Entries are stored as JSON texts. */
async function* withEntries(cell: Db, { businessId, ids }: Own): AsyncGenerator<string[]> {
  for await (const orders of exportOwnOrders(cell, businessId, ids)) {
    const entries = await exportEntriesOf(
      cell,
      businessId,
      orders.map(({ id }) => id),
    )
    yield orders.map((order) => {
      const written = (entries.get(order.id) ?? []).join(',')
      return `${JSON.stringify(order).slice(0, -1)},"entries":[${written}]}`
    })
  }
}

async function* joined<Item>(pages: AsyncIterable<Item[]>, toText: (item: Item) => string): AsyncGenerator<string> {
  let isFirst = true
  for await (const page of pages) {
    for (const item of page) {
      yield `${isFirst ? '' : ','}${toText(item)}`
      isFirst = false
    }
  }
}
