import { blockText, type Order, statusOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { isSame } from '../../merge/is-same.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { AddressFields } from './address-fields.tsx'
import { ADDRESS_FIELDS, type AddressTexts, textsAt, toTexts } from './contact.ts'
import type { useContact } from './use-contact.ts'
import type { OrderView } from './view.ts'

type Props = { view: OrderView; contact: ReturnType<typeof useContact>; isEditing: boolean; onEdit: () => void }

/** Where it goes and what the customer said; changeable until the order has ended. */
export function ContactFacts({ view, contact, isEditing, onEdit }: Props) {
  const { t } = useLingui()
  const { order } = view
  const status = statusOf(order)
  const isFinal = status === 'CANCELLED' || status === 'REFUNDED'
  const reason = view.reason ?? (isFinal ? t`The order has ended.` : undefined)
  const shipping = order.shippingAddress ? toTexts(order.shippingAddress) : fromBlocks(order)
  if (isEditing && !reason) return <Editing contact={contact} />
  return (
    <>
      <section>
        <div className="section-head">
          <h2>{t`Ship to`}</h2>
          <span className="end">
            <Button look="quiet small" reason={reason} onClick={onEdit}>
              {t`Change`} <span className="unseen">{t`addresses and note`}</span>
            </Button>
          </span>
        </div>
        <AddressBlock texts={shipping} />
        {order.billingAddress ? (
          <>
            <p className="note mt-3">{t`Invoice to`}</p>
            <AddressBlock texts={toTexts(order.billingAddress)} />
          </>
        ) : (
          !isEmpty(shipping) && <p className="note mt-2">{t`Invoice goes to the same address`}</p>
        )}
      </section>
      {order.customerNote && (
        <section>
          <h2>{t`The customer says`}</h2>
          <p className="text-table whitespace-pre-wrap break-words">{order.customerNote}</p>
        </section>
      )}
    </>
  )
}

function Editing({ contact: { value, base, change } }: { contact: ReturnType<typeof useContact> }) {
  const { t } = useLingui()
  const section = useRef<HTMLElement>(null)
  // Somebody has just asked for it; a draft that was found again waits.
  const isAsked = useRef(isSame(value, base))
  useEffect(() => {
    if (isAsked.current) section.current?.querySelector<HTMLElement>('select, input')?.focus()
  }, [])
  const set = (prefix: 'shipping' | 'billing') => (texts: AddressTexts) =>
    change(Object.fromEntries(ADDRESS_FIELDS.map((field) => [`${prefix}.${field}`, texts[field]])))
  return (
    <section ref={section} aria-label={t`Addresses and note`}>
      <h2>{t`Ship to`}</h2>
      <AddressFields texts={textsAt(value, 'shipping')} before={textsAt(base, 'shipping')} onChange={set('shipping')} />
      <Field
        label={t`Telephone`}
        type="tel"
        maxLength={50}
        edited={value.phone !== base.phone}
        value={value.phone}
        onChange={(event) => change({ phone: event.target.value })}
      />
      <label className="choice my-4">
        <input
          type="checkbox"
          className="check"
          checked={value['billing.same'] === 'yes'}
          onChange={(event) => change({ 'billing.same': event.target.checked ? 'yes' : '' })}
        />
        <span>{t`Invoice goes to the same address`}</span>
      </label>
      {value['billing.same'] !== 'yes' && (
        <>
          <h2>{t`Invoice to`}</h2>
          <AddressFields
            texts={textsAt(value, 'billing')}
            before={textsAt(base, 'billing')}
            onChange={set('billing')}
          />
        </>
      )}
      <TextField
        label={t`Note of the customer`}
        rows={3}
        maxLength={2_000}
        edited={value.note !== base.note}
        value={value.note}
        onChange={(event) => change({ note: event.target.value })}
      />
    </section>
  )
}

const isEmpty = (texts: AddressTexts) => ADDRESS_FIELDS.every((field) => texts[field] === '')

/** A storefront of before there were addresses keeps them in blocks. */
const fromBlocks = ({ blocks }: Order): AddressTexts =>
  Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, blockText(blocks, field) ?? ''])) as AddressTexts

function AddressBlock({ texts }: { texts: AddressTexts }) {
  const { t } = useLingui()
  const { locale } = useFormat()
  if (isEmpty(texts)) return <p className="soft text-table">{t`No address was given.`}</p>
  const country = /^[A-Z]{2}$/.test(texts.country)
    ? new Intl.DisplayNames(locale, { type: 'region' }).of(texts.country)
    : texts.country
  const town =
    texts.country === 'US' || texts.country === 'GB' || texts.country === 'CA'
      ? [[texts.city, texts.state].filter(Boolean).join(', '), texts.zip]
      : [texts.zip, texts.city]
  const rows = [texts.name, texts.company, texts.street, texts.street2, town.filter(Boolean).join(' '), country]
  return (
    <address className="text-table not-italic">
      {rows.filter(Boolean).map((row) => (
        <span key={row} className="block">
          {row}
        </span>
      ))}
    </address>
  )
}
