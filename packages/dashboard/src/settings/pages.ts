import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  Building2,
  Calculator,
  Globe,
  History,
  KeyRound,
  Landmark,
  ListChecks,
  type LucideIcon,
  Mail,
  MailCheck,
  Map as MapIcon,
  ShieldCheck,
  Store,
  UsersRound,
  Webhook,
} from 'lucide-react'
import type { Permission } from '../session/permissions.ts'

export type SettingsPage = {
  to:
    | '/$business/settings/business'
    | '/$business/settings/shop'
    | '/$business/settings/markets'
    | '/$business/settings/payments'
    | '/$business/settings/mails'
    | '/$business/settings/letters'
    | '/$business/settings/team'
    | '/$business/settings/roles'
    | '/$business/settings/security'
    | '/$business/settings/sign-in'
    | '/$business/settings/webhooks'
    | '/$business/settings/callouts'
    | '/$business/settings/audit'
    | '/$business/settings/checks'
  label: MessageDescriptor
  about: MessageDescriptor
  icon: LucideIcon
  /** Any of these. */
  needs: Permission[]
}

export const PAGES: readonly SettingsPage[] = [
  {
    to: '/$business/settings/business',
    label: msg`Business`,
    about: msg`Name, logo, languages, time zone`,
    icon: Store,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/shop',
    label: msg`Shop addresses`,
    about: msg`Where the shop is, and where it shows orders, products and previews`,
    icon: Globe,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/markets',
    label: msg`Markets`,
    about: msg`Where you sell: currency, tax and shipping`,
    icon: MapIcon,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/payments',
    label: msg`Payments`,
    about: msg`The account that the money goes to`,
    icon: Landmark,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/mails',
    label: msg`Mails`,
    about: msg`What the shop sends by itself, and how it looks`,
    icon: MailCheck,
    needs: ['ADMIN'],
  },
  {
    to: '/$business/settings/letters',
    label: msg`Newsletters`,
    about: msg`What newsletters count`,
    icon: Mail,
    needs: ['CONTENT_WRITE'],
  },
  {
    to: '/$business/settings/team',
    label: msg`Team`,
    about: msg`Who works here, with which roles, and who is invited`,
    icon: UsersRound,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/roles',
    label: msg`Roles`,
    about: msg`What each role may do`,
    icon: KeyRound,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/security',
    label: msg`Security`,
    about: msg`Second factor, and how long people are remembered`,
    icon: ShieldCheck,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/sign-in',
    label: msg`Staff sign-in`,
    about: msg`Your team signs in with the company’s own provider`,
    icon: Building2,
    needs: ['ADMIN'],
  },
  {
    to: '/$business/settings/webhooks',
    label: msg`Webhooks`,
    about: msg`Other programs that are told what happens here`,
    icon: Webhook,
    needs: ['SETTINGS_WRITE'],
  },
  {
    to: '/$business/settings/callouts',
    label: msg`Checkout services`,
    about: msg`Programs that are asked for taxes and shipping prices, or to check a cart`,
    icon: Calculator,
    needs: ['ADMIN'],
  },
  {
    to: '/$business/settings/audit',
    label: msg`Audit log`,
    about: msg`Who changed what, and when`,
    icon: History,
    needs: ['ADMIN'],
  },
  {
    to: '/$business/settings/checks',
    label: msg`Checks`,
    about: msg`Proof that the books balance, every night`,
    icon: ListChecks,
    needs: ['ADMIN'],
  },
]
