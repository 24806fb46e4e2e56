import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Permission } from '../session/permissions.ts'

type Words = { permission: Permission; name: MessageDescriptor; about: MessageDescriptor }

/** What each permission opens, in the order in which a shop works. */
export const PERMISSION_WORDS: Words[] = [
  { permission: 'ORDERS_READ', name: msg`Read orders`, about: msg`Orders, customers and what was sold.` },
  {
    permission: 'ORDERS_WRITE',
    name: msg`Work on orders`,
    about: msg`Ship, refund, cancel, comment; make orders by hand.`,
  },
  {
    permission: 'PRODUCTS_WRITE',
    name: msg`Products and stock`,
    about: msg`Products, prices, categories, stock, imports.`,
  },
  { permission: 'PROMOS_WRITE', name: msg`Promo codes`, about: msg`Make and change discounts.` },
  { permission: 'CONTENT_READ_DRAFTS', name: msg`Read drafts`, about: msg`Texts that are not published yet.` },
  { permission: 'CONTENT_WRITE', name: msg`Write content`, about: msg`Write, change and publish texts and letters.` },
  { permission: 'NEWSLETTER_SEND', name: msg`Send letters`, about: msg`Send newsletters to their readers.` },
  {
    permission: 'SUBSCRIBERS_READ',
    name: msg`Read subscribers`,
    about: msg`Who reads which newsletter, with addresses.`,
  },
  {
    permission: 'SETTINGS_WRITE',
    name: msg`Settings`,
    about: msg`Markets, roles and invitations, settings of the business.`,
  },
  { permission: 'ADMIN', name: msg`Everything`, about: msg`All of these, and whatever is added later.` },
]
