import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from '../api/client.ts'
import { mayIn } from './may-in.ts'
import type { Permission } from './permissions.ts'
import { businessesQuery, meQuery } from './queries.ts'
import { businessAt, type OpenBusiness } from './use-business.ts'

type Reading = { queryKey: QueryKey; start: () => Promise<unknown> }

/**
 * For loaders: begins to read what the page will ask for, while the page itself is still on its way. What is known already is
 * left to the page, as is what cannot be read.
 */
export async function readAhead(
  address: string,
  /** Any of these. */
  permission: Permission | readonly Permission[],
  read: (business: OpenBusiness) => Reading,
): Promise<void> {
  const [{ items }, me] = await Promise.all([
    queryClient.ensureQueryData(businessesQuery()),
    queryClient.ensureQueryData(meQuery()),
  ])
  const business = businessAt(items, address)
  if (!business || business.isShut || ![permission].flat().some(mayIn(me, business.id))) return
  const { queryKey, start } = read(business)
  if (queryClient.getQueryData(queryKey) === undefined) void start()
}
