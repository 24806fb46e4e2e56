import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { House, type LucideIcon, ReceiptText, Users } from 'lucide-react'
import type { Permission } from '../session/permissions.ts'

export type Section = {
  to: '/$business' | '/$business/orders' | '/$business/customers'
  label: MessageDescriptor
  icon: LucideIcon
  keys: string
  /** Any of these; without one of them the whole section is left out. */
  needs: Permission[]
}

export const SECTIONS: Section[] = [
  { to: '/$business', label: msg`Home`, icon: House, keys: 'g h', needs: [] },
  { to: '/$business/orders', label: msg`Orders`, icon: ReceiptText, keys: 'g o', needs: ['ORDERS_READ'] },
  { to: '/$business/customers', label: msg`Customers`, icon: Users, keys: 'g c', needs: ['ORDERS_READ'] },
]
