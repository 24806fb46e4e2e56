import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { query } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { type AddressTexts, toTexts } from '../order/contact.ts'
import { isEmail, type NewOrderDraft } from './draft.ts'
import { Finder, type Found } from './finder.tsx'

type Chosen = { customer: NewOrderDraft['customer']; address: AddressTexts | undefined; phone: string }
type Named = { name: string; email: string }
type Props = {
  customer: NewOrderDraft['customer']
  onChoose: (chosen: Chosen) => void
  /** Somebody new, as far as they are typed. */
  onName: (named: Named) => void
  /** Whether what is missing is said. */
  isStrict: boolean
}

const NEW = 'new'

const isId = (text: string) => /^usr_\w+$/.test(text)

/** Whose order it is: somebody who has bought or reads here, somebody new, or an account by its id. */
export function ChooseCustomer({ customer, onChoose, onName, isStrict }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [text, setText] = useState('')
  const typed = useDeferredValue(text.trim())
  const { data, isFetching } = useQuery({
    ...query(businessId, 'listCustomers', { query: { query: typed, limit: 6 } }),
    enabled: typed.length > 1 && !isId(typed),
    placeholderData: keepPreviousData,
  })
  const people = typed.length > 1 ? (data?.items ?? []) : []
  const found: Found[] = isId(typed)
    ? [{ id: typed, label: typed, note: t`the account with this id` }]
    : [
        ...people.map(({ id, name, email, orders }) => ({
          id,
          label: name ?? email ?? id,
          note: name ? email : undefined,
          end: <Plural value={orders} one="# order" other="# orders" />,
        })),
        ...(typed ? [{ id: NEW, label: t`New customer: ${typed}`, note: t`with an email address and a name` }] : []),
      ]
  const choose = (id: string) => {
    if (id === NEW) return onName(typed.includes('@') ? { email: typed, name: '' } : { email: '', name: typed })
    const person = people.find((one) => one.id === id)
    setText('')
    onChoose({
      customer: { id, name: person?.name ?? '', email: person?.email ?? '' },
      address: person?.addresses[0] && toTexts(person.addresses[0]),
      phone: person?.phones[0] ?? '',
    })
  }
  const back = () => onChoose({ customer: null, address: undefined, phone: '' })
  if (customer?.id === null)
    return (
      <NewCustomer
        customer={customer}
        {...{ onName, isStrict }}
        onBack={() => {
          setText(text || customer.name || customer.email)
          back()
        }}
      />
    )
  if (customer)
    return (
      <div className="chosen">
        <div>
          <p className="strong">{customer.name || customer.email || customer.id}</p>
          <p className="soft text-table">{customer.name ? customer.email : ''}</p>
        </div>
        <Button look="small" onClick={back}>{t`Somebody else`}</Button>
      </div>
    )
  return (
    <>
      <Finder
        autoFocus
        label={t`Customer`}
        placeholder={t`Name or email`}
        found={found}
        isSearching={isFetching || typed !== text.trim()}
        {...{ text }}
        problem={isStrict ? t`Choose a customer.` : undefined}
        onType={setText}
        onChoose={choose}
      />
      <p className="note mt-2">
        <Trans>Somebody who has ordered or subscribed here, somebody new, or an account by its id, usr_…</Trans>
      </p>
    </>
  )
}

type NewProps = { customer: Named; onName: (named: Named) => void; isStrict: boolean; onBack: () => void }

function NewCustomer({ customer: { name, email }, onName, isStrict, onBack }: NewProps) {
  const { t } = useLingui()
  const isWrong = (isStrict || email !== '') && !isEmail(email)
  const [wasLeft, setWasLeft] = useState(false)
  return (
    <>
      <div className="new-customer">
        <Field
          label={t`Email of the new customer`}
          type="email"
          autoComplete="off"
          maxLength={254}
          required
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
          autoFocus={email === ''}
          problem={isWrong && (isStrict || wasLeft) ? t`An address such as ada@example.com.` : undefined}
          value={email}
          onBlur={() => setWasLeft(true)}
          onChange={({ target }) => onName({ name, email: target.value })}
        />
        <Field
          label={t`Name of the new customer`}
          autoComplete="off"
          maxLength={200}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
          autoFocus={email !== '' && name === ''}
          value={name}
          onChange={({ target }) => onName({ name: target.value, email })}
        />
      </div>
      <p className="note mt-2">
        <Trans>They get no account by it, and become one of your customers with this order.</Trans>
      </p>
      <Button look="small" className="mt-2" onClick={onBack}>{t`Somebody else`}</Button>
    </>
  )
}
