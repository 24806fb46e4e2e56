import { useLingui } from '@lingui/react/macro'
import type { Permission } from '../../session/permissions.ts'

/** What permissions let one do, in plain words, by area. */
export function useAreas(): { name: string; permissions: { id: Permission; may: string; about: string }[] }[] {
  const { t } = useLingui()
  return [
    {
      name: t`Orders and customers`,
      permissions: [
        {
          id: 'ORDERS_READ',
          may: t`See orders and customers`,
          about: t`With names, addresses, payments and exports.`,
        },
        {
          id: 'ORDERS_WRITE',
          may: t`Work on orders`,
          about: t`Ship, refund, take back, cancel, change, and write orders by hand.`,
        },
      ],
    },
    {
      name: t`Goods`,
      permissions: [
        {
          id: 'PRODUCTS_WRITE',
          may: t`Keep products and stock`,
          about: t`Texts, pictures, prices, stock, categories, imports and bulk edits.`,
        },
        { id: 'PROMOS_WRITE', may: t`Make promo codes`, about: t`And change or end them.` },
      ],
    },
    {
      name: t`Content and letters`,
      permissions: [
        {
          id: 'CONTENT_READ_DRAFTS',
          may: t`Read what is not published`,
          about: t`Drafts of entries and letters.`,
        },
        {
          id: 'CONTENT_WRITE',
          may: t`Write content and letters`,
          about: t`Write, change, publish, and keep the files for it.`,
        },
        {
          id: 'SUBSCRIBERS_READ',
          may: t`See readers`,
          about: t`Who reads a newsletter, and what came of a letter.`,
        },
        { id: 'NEWSLETTER_SEND', may: t`Send letters`, about: t`Now, later, or by themselves.` },
      ],
    },
    {
      name: t`Business`,
      permissions: [
        {
          id: 'SETTINGS_WRITE',
          may: t`Set up the business`,
          about: t`Name, addresses, markets, roles and invitations, but never more than one may oneself.`,
        },
      ],
    },
  ]
}

/** A role in one line: what its people may do. */
export function useRoleWords() {
  const { t } = useLingui()
  const all = useAreas().flatMap(({ permissions }) => permissions)
  return (permissions: readonly Permission[]): string => {
    if (permissions.includes('ADMIN')) return t`Everything`
    const held = all.filter(({ id }) => permissions.includes(id)).map(({ may }) => may)
    return held.join(' · ') || t`Nothing yet`
  }
}
