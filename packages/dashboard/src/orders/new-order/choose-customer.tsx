import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { type AddressTexts, toTexts } from '../order/contact.ts'
import type { NewOrderDraft } from './draft.ts'
import { Finder, type Found } from './finder.tsx'

type Chosen = { customer: NewOrderDraft['customer']; address: AddressTexts | undefined; phone: string }
type Props = { customer: NewOrderDraft['customer']; onChoose: (chosen: Chosen) => void }

const isId = (text: string) => /^usr_\w+$/.test(text)

/** Whose order it is: somebody who has bought or reads here, or an account by its id. */
export function ChooseCustomer({ customer, onChoose }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const lacks = usePermissions().reason('ORDERS_READ')
  const [text, setText] = useState('')
  const typed = useDeferredValue(text.trim())
  const { data, isFetching } = useQuery({
    ...query(businessId, 'listCustomers', { query: { query: typed, limit: 6 } }),
    enabled: !lacks && typed.length > 1 && !isId(typed),
    placeholderData: keepPreviousData,
  })
  const people = typed.length > 1 ? (data?.items ?? []) : []
  const found: Found[] = isId(typed)
    ? [{ id: typed, label: typed, note: t`the account with this id` }]
    : people.map(({ id, name, email, orders }) => ({
        id,
        label: name ?? email ?? id,
        note: name ? email : undefined,
        end: <Plural value={orders} one="# order" other="# orders" />,
      }))
  const choose = (id: string) => {
    const person = people.find((one) => one.id === id)
    setText('')
    onChoose({
      customer: { id, name: person?.name ?? '', email: person?.email ?? '' },
      address: person?.addresses[0] && toTexts(person.addresses[0]),
      phone: person?.phones[0] ?? '',
    })
  }
  if (customer)
    return (
      <div className="chosen">
        <div>
          <p className="strong">{customer.name || customer.email || customer.id}</p>
          <p className="soft text-table">{customer.name ? customer.email : ''}</p>
        </div>
        <Button look="small" onClick={() => onChoose({ customer: null, address: undefined, phone: '' })}>
          {t`Somebody else`}
        </Button>
      </div>
    )
  return (
    <>
      <Finder
        autoFocus
        label={t`Customer`}
        placeholder={lacks ? 'usr_…' : t`Name or email`}
        found={found}
        isSearching={isFetching}
        {...{ text }}
        onType={setText}
        onChoose={choose}
      />
      <p className="note mt-2">
        {lacks ? (
          <Trans>By the id of an account, usr_… To find somebody by name: {lacks}</Trans>
        ) : (
          <Trans>Somebody who has ordered or subscribed here; an account that is new here by its id, usr_…</Trans>
        )}
      </p>
    </>
  )
}
