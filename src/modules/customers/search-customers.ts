import type { Db } from '#platform/database/database.ts'
import { presentCustomer } from './customer.ts'
import { findCustomers } from './find-customers.ts'

/** A few customers with this email address or these words of a name, in short. */
export async function searchCustomers(
  db: Db,
  { businessId, query, limit }: { businessId: string; query: string; limit: number },
) {
  const { rows } = await findCustomers(db, {
    businessId,
    filters: { query },
    sort: '-lastOrderAt',
    after: undefined,
    limit,
  })
  return rows
    .slice(0, limit)
    .map(presentCustomer)
    .map(({ id, name, email, orders, lastOrderAt }) => ({ id, name, email, orders, lastOrderAt }))
}
