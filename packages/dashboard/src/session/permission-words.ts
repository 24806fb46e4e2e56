import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { Permission } from './permissions.ts'

type Named = { id: Permission; may: MessageDescriptor; about: MessageDescriptor }
export type NamedPermission = { id: Permission; may: string; about: string }

/** What permissions let one do, by area, in the order in which a shop works. Roles and keys are put together of these. */
const AREAS: { name: MessageDescriptor; permissions: Named[] }[] = [
  {
    name: msg`Orders and customers`,
    permissions: [
      {
        id: 'ORDERS_READ',
        may: msg`See orders and customers`,
        about: msg`With names, addresses, payments and exports.`,
      },
      {
        id: 'ORDERS_WRITE',
        may: msg`Work on orders`,
        about: msg`Ship, refund, take back, cancel, change, and write orders by hand.`,
      },
    ],
  },
  {
    name: msg`Goods`,
    permissions: [
      {
        id: 'PRODUCTS_WRITE',
        may: msg`Keep products and stock`,
        about: msg`Texts, pictures, prices, stock, categories, imports and bulk edits.`,
      },
      { id: 'PROMOS_WRITE', may: msg`Make promo codes`, about: msg`And change or end them.` },
    ],
  },
  {
    name: msg`Content and letters`,
    permissions: [
      {
        id: 'CONTENT_READ_DRAFTS',
        may: msg`Read what is not published`,
        about: msg`Drafts of entries and letters.`,
      },
      {
        id: 'CONTENT_WRITE',
        may: msg`Write content and letters`,
        about: msg`Write, change, publish, and keep the files for it.`,
      },
      {
        id: 'SUBSCRIBERS_READ',
        may: msg`See readers`,
        about: msg`Who reads a newsletter, and what came of a letter.`,
      },
      { id: 'NEWSLETTER_SEND', may: msg`Send letters`, about: msg`Now, later, or by themselves.` },
    ],
  },
  {
    name: msg`Business`,
    permissions: [
      {
        id: 'SETTINGS_WRITE',
        may: msg`Set up the business`,
        about: msg`Name, addresses, markets, webhooks, roles and invitations, but never more than one may oneself.`,
      },
    ],
  },
  {
    name: msg`Everything`,
    permissions: [
      {
        id: 'ADMIN',
        may: msg`Everything, as an admin`,
        about: msg`Also the team, the audit log, mails, and whatever is added later.`,
      },
    ],
  },
]

/** In the language of who reads them. */
export function useAreas(): { name: string; permissions: NamedPermission[] }[] {
  const { i18n } = useLingui()
  return AREAS.map(({ name, permissions }) => ({
    name: i18n._(name),
    permissions: permissions.map(({ id, may, about }) => ({ id, may: i18n._(may), about: i18n._(about) })),
  }))
}

/** Several in one line: what whoever has them may do. */
export function usePermissionLine() {
  const { t } = useLingui()
  const all = useAreas().flatMap(({ permissions }) => permissions)
  return (held: readonly Permission[]): string => {
    if (held.includes('ADMIN')) return t`Everything`
    const names = all.filter(({ id }) => held.includes(id)).map(({ may }) => may)
    return names.join(' · ') || t`Nothing yet`
  }
}
