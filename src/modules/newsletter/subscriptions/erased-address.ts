import { createHash, randomUUID } from 'node:crypto'

/** No mail can go there (RFC 2606), and it is an address to every program that reads one. */
const NOWHERE = '@erased.invalid'

/** Stands for an address that was forgotten. */
export const newErasedAddress = () => `erased-${randomUUID()}${NOWHERE}`
export const isErasedAddress = (email: string) => email.endsWith(NOWHERE)

/** What is kept of a suppressed address that was forgotten: enough to know it again when the business brings it back. */
export const hiddenKeyOf = (businessId: string, emailKey: string) =>
  `erased-${createHash('sha256').update(`${businessId} ${emailKey}`).digest('hex').slice(0, 40)}${NOWHERE}`
