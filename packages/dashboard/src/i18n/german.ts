import type { Messages } from '@lingui/core'

/** Of all parts but those that bring their own: see `withWords`. */
const parts = import.meta.glob<Messages>(['../*/locales/de.po', '!../{checks,home,insights,operator}/locales/de.po'], {
  eager: true,
  import: 'messages',
})

export const messages: Messages = Object.assign({}, ...Object.values(parts))
