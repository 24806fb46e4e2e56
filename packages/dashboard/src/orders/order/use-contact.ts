import { etagOf, type Order } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { isSame } from '../../merge/is-same.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useAddressNames } from './address-fields.tsx'
import { type Contact, toContact } from './contact.ts'
import { saveContact } from './save-contact.ts'

type Draft = { base: Contact; etag: string; mine: Contact }

/** Addresses and note as they are typed: kept over a reload, named in the save bar, merged with what others saved. */
export function useContact(order: Order) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [draft, setDraft] = useDraft<Draft>(`contact:${order.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const nameOf = useContactNames()
  const { decide, sheet } = useMerge<Contact>(nameOf)
  const base = draft?.base ?? toContact(order)
  const value = draft?.mine ?? base
  const changed = (Object.keys(value) as (keyof Contact)[]).filter((field) => value[field] !== base[field])

  const change = (changes: Partial<Contact>) => {
    const mine = { ...value, ...changes }
    const isBack = (Object.keys(mine) as (keyof Contact)[]).every((field) => mine[field] === base[field])
    setDraft(isBack ? undefined : { base, etag: draft?.etag ?? etagOf(order), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    try {
      const saved = await saveContact({
        orderId: order.id,
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (changes, ifMatch) =>
          ask({
            operation: 'updateOrder',
            input: { body: changes },
            label: t`Save the addresses of ${order.number}`,
            about: [order.id],
            ifMatch,
          }),
        read: () => untilKnown(() => kontor.operations.getOrder({ path: { businessId: business.id, id: order.id } })),
        decide,
      })
      if (saved === undefined) return
      const typed = latest.current?.mine
      // What was typed while it was saved is still to be saved, on top of what was.
      setDraft(typed && !isSame(typed, draft.mine) ? { ...draft, base: draft.mine, mine: typed } : undefined)
      toast(t`Changes saved`)
    } catch (error) {
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  return {
    value,
    base,
    changed,
    changes: changed.map((field) => changeWords(nameOf(field), value[field])),
    isSaving,
    change,
    save,
    discard: () => setDraft(undefined),
    sheet,
  }
}

const changeWords = (name: string, text: string) =>
  `${name}: ${text.length > 40 ? `${text.slice(0, 40)}…` : text || '–'}`

function useContactNames() {
  const { t } = useLingui()
  const names = useAddressNames()
  return (field: keyof Contact): string => {
    if (field === 'phone') return t`Telephone`
    if (field === 'note') return t`Note of the customer`
    if (field === 'billing.same') return t`Invoice goes to the same address`
    const [kind, part] = field.split('.') as [string, keyof typeof names]
    return kind === 'shipping' ? t`Ship to, ${names[part]}` : t`Invoice to, ${names[part]}`
  }
}
