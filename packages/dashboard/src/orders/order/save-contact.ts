import { etagOf, type Order, type UpdateOrderBody } from '@kontor/sdk'
import { saveMerged } from '../../merge/save.ts'
import type { Merged } from '../../merge/three-way.ts'
import { type Contact, mergeContacts, settleBilling, toChanges, toContact, withoutHidden } from './contact.ts'

type Saving = {
  orderId: string
  /** As this person found it, and what they made of it. */
  base: Contact
  mine: Contact
  etag: string
  write: (changes: UpdateOrderBody, ifMatch: string) => Promise<unknown>
  read: () => Promise<Order>
  decide: (merged: Merged<Contact>) => Promise<Contact | undefined>
}

/** Saves what was changed of addresses and note, merged with what others saved meanwhile. Undefined: not saved. */
export function saveContact({ orderId, base, mine, etag, write, read, decide }: Saving): Promise<unknown> {
  let before = base
  return saveMerged<Contact, unknown>({
    base,
    mine: withoutHidden(mine),
    etag,
    write: (value, version) => write(toChanges(orderId, before, value), version),
    read: async () => {
      const now = await read()
      before = toContact(now)
      return { value: before, etag: etagOf(now) }
    },
    merge: mergeContacts,
    decide: async (merged) => {
      const decided = await decide(merged)
      return decided && settleBilling(merged, decided, before)
    },
  })
}
