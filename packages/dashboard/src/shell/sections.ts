import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  Box,
  ChartColumn,
  FileText,
  FileUp,
  FolderTree,
  House,
  Images,
  Layers,
  type LucideIcon,
  Mail,
  Package,
  ReceiptText,
  Settings2,
  TicketPercent,
  Users,
} from 'lucide-react'
import type { Permission } from '../session/permissions.ts'

export type Section = {
  to:
    | '/$business'
    | '/$business/orders'
    | '/$business/products'
    | '/$business/categories'
    | '/$business/stock'
    | '/$business/media'
    | '/$business/promo-codes'
    | '/$business/bulk-edits'
    | '/$business/products/imports'
    | '/$business/customers'
    | '/$business/content'
    | '/$business/letters'
    | '/$business/insights'
    | '/$business/settings'
  label: MessageDescriptor
  icon: LucideIcon
  keys: string
  /** Belongs to the one above it, and has no place of its own at the foot of a phone. */
  isSub?: boolean
  /** Any of these; without one of them the whole section is left out. */
  needs: Permission[]
}

export const SECTIONS: Section[] = [
  { to: '/$business', label: msg`Home`, icon: House, keys: 'g h', needs: [] },
  { to: '/$business/orders', label: msg`Orders`, icon: ReceiptText, keys: 'g o', needs: ['ORDERS_READ'] },
  { to: '/$business/products', label: msg`Products`, icon: Box, keys: 'g p', needs: ['PRODUCTS_WRITE'] },
  {
    to: '/$business/categories',
    label: msg`Categories`,
    icon: FolderTree,
    keys: 'g k',
    isSub: true,
    needs: ['PRODUCTS_WRITE'],
  },
  {
    to: '/$business/bulk-edits',
    label: msg`Bulk edits`,
    icon: Layers,
    keys: 'g b',
    isSub: true,
    needs: ['PRODUCTS_WRITE'],
  },
  {
    to: '/$business/products/imports',
    label: msg`Imports`,
    icon: FileUp,
    keys: 'g i',
    isSub: true,
    needs: ['PRODUCTS_WRITE'],
  },
  { to: '/$business/stock', label: msg`Stock`, icon: Package, keys: 'g s', needs: ['PRODUCTS_WRITE'] },
  {
    to: '/$business/media',
    label: msg`Media`,
    icon: Images,
    keys: 'g m',
    needs: ['CONTENT_WRITE', 'PRODUCTS_WRITE'],
  },
  { to: '/$business/promo-codes', label: msg`Promo codes`, icon: TicketPercent, keys: 'g r', needs: ['PROMOS_WRITE'] },
  { to: '/$business/customers', label: msg`Customers`, icon: Users, keys: 'g c', needs: ['ORDERS_READ'] },
  {
    to: '/$business/content',
    label: msg`Content`,
    icon: FileText,
    keys: 'g n',
    needs: ['CONTENT_WRITE', 'CONTENT_READ_DRAFTS'],
  },
  {
    to: '/$business/letters',
    label: msg`Letters`,
    icon: Mail,
    keys: 'g l',
    needs: ['NEWSLETTER_SEND', 'SUBSCRIBERS_READ', 'CONTENT_WRITE'],
  },
  {
    to: '/$business/insights',
    label: msg`Insights`,
    icon: ChartColumn,
    keys: 'g a',
    needs: ['ORDERS_READ', 'SUBSCRIBERS_READ'],
  },
  {
    to: '/$business/settings',
    label: msg`Settings`,
    icon: Settings2,
    keys: 'g e',
    needs: ['SETTINGS_WRITE', 'CONTENT_WRITE'],
  },
]
