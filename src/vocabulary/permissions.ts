/** The permissions of a role in its business. `ADMIN` includes all others. */
export const PERMISSIONS = [
  'ADMIN',
  'PRODUCTS_WRITE',
  'ORDERS_READ',
  'ORDERS_WRITE',
  'PROMOS_WRITE',
  'CONTENT_READ_DRAFTS',
  'CONTENT_WRITE',
  'NEWSLETTER_SEND',
  'SUBSCRIBERS_READ',
  'SETTINGS_WRITE',
] as const
export type Permission = (typeof PERMISSIONS)[number]

export const holds = (held: readonly Permission[], wanted: Permission) =>
  held.includes('ADMIN') || held.includes(wanted)

/** What is left of these permissions for an API key that has only its own; without any of its own, all of them. */
export const cutDown = (held: readonly Permission[], own: readonly Permission[] | undefined): readonly Permission[] =>
  own === undefined || held.length === 0 ? held : PERMISSIONS.filter((each) => holds(held, each) && holds(own, each))

/** The first wanted permission that is not held, if any: users cannot grant what they lack. */
export const firstLacking = (held: readonly Permission[], wanted: readonly Permission[]) =>
  wanted.find((permission) => !holds(held, permission))
