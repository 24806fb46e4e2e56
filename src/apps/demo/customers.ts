import { PEOPLE } from '#demo/people.ts'
import { DAY_MS } from '#demo/time.ts'
import { rememberCustomer } from '#modules/access/index.ts'
import { addPeople } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Demo } from './demo.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'

/** They signed up in this order, before the first order. */
const SIGNED_UP_DAY = 28

/** Finds or creates the customers' accounts, by email address. All demo businesses of a service share them. */
export const openPeople = ({ control, startMs }: Pick<Demo, 'control' | 'startMs'>) =>
  inThePast(startMs + SIGNED_UP_DAY * DAY_MS, () =>
    transaction(control, async (tx) => {
      const people = PEOPLE.map(({ email, name, address }) => ({ email, name, addresses: [address] }))
      return addPeople(tx, people)
    }),
  )

export async function makeCustomers(demo: Demo, onProgress: OnProgress): Promise<Outcome> {
  const { ids, made } = await openPeople(demo)
  for (const id of ids.values()) await rememberCustomer(demo.control, demo.business.id, id)
  if (made > 0) onProgress(PEOPLE.length, PEOPLE.length)
  return { count: ids.size, made }
}
