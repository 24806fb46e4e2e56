import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Box, ReceiptText, User } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Money } from '../ui/money.tsx'
import { useAllCommands } from './commands.ts'
import { useFound } from './find.ts'
import { type Item, PaletteBox } from './palette-box.tsx'

/** Ctrl K: finds and does. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const searched = useDeferredValue(text)
  const { records, isSearching } = useRecords(searched)
  return (
    <PaletteBox
      text={text}
      onText={setText}
      placeholder={t`A number, a name, or what to do`}
      {...{ searched, records, isSearching }}
      onClose={onClose}
    />
  )
}

function useRecords(text: string) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const business = addressOf(useBusiness())
  const commands = useAllCommands()
  const { found, isSearching } = useFound(text)
  const orders = (found?.orders ?? []).map(
    (order): Item => ({
      id: order.id,
      group: t`Orders`,
      icon: ReceiptText,
      label: [order.number, order.email].filter(Boolean).join(', '),
      end: <Money amount={order.total} currency={order.currency} />,
      run: () => void navigate({ to: '/$business/orders/$order', params: { business, order: order.id } }),
    }),
  )
  const customers = (found?.customers ?? []).map(
    (customer): Item => ({
      id: customer.id,
      group: t`Customers`,
      icon: User,
      label: [customer.name, customer.email].filter(Boolean).join(', ') || customer.id,
      run: () => void navigate({ to: '/$business/customers/$customer', params: { business, customer: customer.id } }),
    }),
  )
  const { may, mayAny } = usePermissions()
  const products = (may('PRODUCTS_WRITE') ? (found?.products ?? []) : []).map(
    (product): Item => ({
      id: product.id,
      group: t`Products`,
      icon: Box,
      label: [product.name, product.sku].filter(Boolean).join(', '),
      run: () => void navigate({ to: '/$business/products/$product', params: { business, product: product.id } }),
    }),
  )
  const entries = (mayAny('CONTENT_WRITE', 'CONTENT_READ_DRAFTS') ? (found?.entries ?? []) : []).flatMap(
    ({ id, title, collectionId: collection }): Item[] =>
      collection === null
        ? []
        : [
            {
              id,
              group: t`Content`,
              icon: commands.find((one) => one.id === 'go /$business/content')?.icon,
              label: title || id,
              run: () =>
                void navigate({
                  to: '/$business/content/$collection/$entry',
                  params: { business, collection, entry: id },
                }),
            },
          ],
  )
  return { records: [...orders, ...products, ...customers, ...entries], isSearching }
}
