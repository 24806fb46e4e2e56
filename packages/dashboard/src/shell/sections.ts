import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  Box,
  ChartColumn,
  FileText,
  House,
  Image,
  type LucideIcon,
  Mail,
  ReceiptText,
  SlidersHorizontal,
  Users,
} from 'lucide-react'
import type { Permission } from '../session/permissions.ts'

export type Section = {
  to:
    | '/$business'
    | '/$business/orders'
    | '/$business/products'
    | '/$business/customers'
    | '/$business/content'
    | '/$business/letters'
    | '/$business/media'
    | '/$business/insights'
    | '/$business/settings'
  label: MessageDescriptor
  icon: LucideIcon
  keys: string
  /** Any of these; without one of them the whole section is left out. */
  needs: Permission[]
  /** One of the four that stand at the foot of a phone. */
  onPhone?: boolean
}

export const SECTIONS: Section[] = [
  { to: '/$business', label: msg`Home`, icon: House, keys: 'g h', needs: [], onPhone: true },
  {
    to: '/$business/orders',
    label: msg`Orders`,
    icon: ReceiptText,
    keys: 'g o',
    needs: ['ORDERS_READ', 'ORDERS_WRITE'],
    onPhone: true,
  },
  {
    to: '/$business/products',
    label: msg`Products`,
    icon: Box,
    keys: 'g p',
    needs: ['PRODUCTS_WRITE', 'PROMOS_WRITE'],
    onPhone: true,
  },
  { to: '/$business/customers', label: msg`Customers`, icon: Users, keys: 'g c', needs: ['ORDERS_READ'] },
  {
    to: '/$business/content',
    label: msg`Content`,
    icon: FileText,
    keys: 'g t',
    needs: ['CONTENT_READ_DRAFTS', 'CONTENT_WRITE'],
  },
  {
    to: '/$business/letters',
    label: msg`Letters`,
    icon: Mail,
    keys: 'g l',
    needs: ['NEWSLETTER_SEND', 'SUBSCRIBERS_READ'],
    onPhone: true,
  },
  { to: '/$business/media', label: msg`Media`, icon: Image, keys: 'g m', needs: ['PRODUCTS_WRITE', 'CONTENT_WRITE'] },
  {
    to: '/$business/insights',
    label: msg`Insights`,
    icon: ChartColumn,
    keys: 'g i',
    needs: ['ORDERS_READ', 'SUBSCRIBERS_READ'],
  },
  { to: '/$business/settings', label: msg`Settings`, icon: SlidersHorizontal, keys: 'g s', needs: ['SETTINGS_WRITE'] },
]
