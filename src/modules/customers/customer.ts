import type { Selectable } from 'kysely'
import type { SubscriberContact } from '#modules/newsletter/index.ts'
import type { OrderContact } from '#modules/orders/index.ts'
import type { CustomersCustomers } from '#platform/database/cell-tables.ts'
import type { Address } from '#vocabulary/address.ts'
import { wordsOf } from '#vocabulary/search-words.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Customer } from './schemas.ts'

export type Spent = { currency: string; amount: number; orders: number }
export type CustomerRow = Omit<Selectable<CustomersCustomers>, 'addresses'> & { addresses: Address[]; spent: Spent[] }

/** A customer of a business. */
export type Person = { businessId: string; userId: string }
/** A guest, and who they became. */
export type Merged = { businessId: string; guestId: string; userId: string }
export const keyOf = ({ businessId, userId }: Person) => `${businessId} ${userId}`

export const MAX_CONTACTS = 10
const MAX_NAME_WORDS = 20
const MAX_SORTED = 100
/** Sorts after every name. */
const NAMELESS = '\u{10FFFF}'

/** What orders and subscriptions say about a person. */
export type Facts = Pick<
  CustomerRow,
  'name' | 'email' | 'phones' | 'addresses' | 'words' | 'sortName' | 'firstOrderAt' | 'lastOrderAt'
>

export const NO_ORDER = new Date(0)
export const BLANK = { name: null, email: null, phones: [], addresses: [], words: [], sortName: NAMELESS }

/** Both newest first; the oldest order is among them. The newest that says something wins. */
export function factsOf(orders: readonly OrderContact[], subscriptions: readonly SubscriberContact[]): Facts {
  const addresses = orders.flatMap(({ shippingAddress, billingAddress }) =>
    [shippingAddress, billingAddress].filter((address) => address !== null),
  )
  const names = [...orders.map(nameIn), ...subscriptions.map(({ name }) => name)]
  const emails = [...orders.map(({ contactEmail }) => contactEmail), ...subscriptions.map(({ email }) => email)]
  const phones = orders.flatMap(({ phone, shippingAddress, billingAddress }) => [
    phone,
    shippingAddress?.phone,
    billingAddress?.phone,
  ])
  const name = firstOf(names)
  const email = firstOf(emails)
  return {
    name,
    email,
    phones: distinct(phones.flatMap((phone) => phone?.trim() || [])),
    addresses: [...new Map(addresses.map((address) => [JSON.stringify(address), address])).values()].slice(
      0,
      MAX_CONTACTS,
    ),
    ...namesToFindBy(name, email),
    firstOrderAt: orders.at(-1)?.createdAt ?? null,
    lastOrderAt: orders[0]?.createdAt ?? NO_ORDER,
  }
}

export function namesToFindBy(name: string | null, email: string | null): Pick<Facts, 'words' | 'sortName'> {
  const words = wordsOf(name ?? '')
  return {
    words: [...new Set([...words.slice(0, MAX_NAME_WORDS), ...(email ? [email.toLowerCase()] : [])])],
    sortName: words.length > 0 ? Array.from(words.join(' ')).slice(0, MAX_SORTED).join('') : NAMELESS,
  }
}

function nameIn({ shippingAddress, billingAddress, blocks }: OrderContact): string | null {
  const typed = blocks.find(({ id }) => id === 'name')?.value
  return firstOf([shippingAddress?.name, billingAddress?.name, typeof typed === 'string' ? typed : null])
}

const firstOf = (texts: readonly (string | null | undefined)[]) => texts.find((text) => text?.trim())?.trim() ?? null
const distinct = (texts: readonly string[]) => [...new Set(texts)].slice(0, MAX_CONTACTS)

export const presentCustomer = (row: CustomerRow): Customer => ({
  id: row.userId,
  name: row.name,
  email: row.email,
  phones: row.phones,
  addresses: row.addresses,
  orders: row.orders,
  spent: row.spent,
  firstOrderAt: row.firstOrderAt && toSeconds(row.firstOrderAt),
  lastOrderAt: row.lastOrderAt.getTime() === 0 ? null : toSeconds(row.lastOrderAt),
  tags: row.tags,
  isGuest: row.isGuest ?? false,
  isErased: row.erasedAt !== null,
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})
