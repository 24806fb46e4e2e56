import { rememberCustomer } from '#modules/access/index.ts'
import { addPeople } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Demo } from './demo.ts'
import type { Outcome, Tell } from './make-demo.ts'
import { DAY_MS, inThePast } from './past.ts'
import { PEOPLE } from './people.ts'

/** In this order they signed up, before the first order came. */
const SIGNED_UP_DAY = 28

/** Accounts of the people who buy, by address. Another demo business of the same service has the same customers. */
export const openPeople = ({ control, startMs }: Pick<Demo, 'control' | 'startMs'>) =>
  inThePast(startMs + SIGNED_UP_DAY * DAY_MS, () =>
    transaction(control, async (tx) => {
      const people = PEOPLE.map(({ email, name, address }) => ({ email, name, addresses: [address] }))
      return addPeople(tx, people)
    }),
  )

export async function makeCustomers(demo: Demo, tell: Tell): Promise<Outcome> {
  const { ids, made } = await openPeople(demo)
  for (const id of ids.values()) await rememberCustomer(demo.control, demo.business.id, id)
  if (made > 0) tell(PEOPLE.length, PEOPLE.length)
  return { count: ids.size, made }
}
