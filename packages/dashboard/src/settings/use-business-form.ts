import type { Body, Business } from '@kontor/sdk'
import { etagOf, KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../api/client.ts'
import { invalidate } from '../api/query.ts'
import { isSame } from '../merge/is-same.ts'
import { saveMerged } from '../merge/save.ts'
import { useMerge } from '../merge/use-merge.tsx'
import { untilKnown } from '../outbox/until-known.ts'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useDraft } from '../ui/use-draft.ts'

type Setup<Form extends object> = {
  /** Names the draft: what is typed here survives a reload. */
  part: string
  /** What is being saved, for the outbox. */
  label: string
  toForm: (business: Business) => Form
  /** Only what was changed; of lists, with what the business has now besides. */
  toBody: (mine: Form, now: Business) => Body<'updateBusiness'>
  names: Record<keyof Form & string, string>
  show: (value: Form[keyof Form & string], field: keyof Form & string) => string
  onSaved?: (saved: Business) => void
}

/** A part of the settings as it is changed: kept over a reload, named in the save bar, merged with what others saved. */
export function useBusinessForm<Form extends object>(setup: Setup<Form>) {
  const { part, label, toForm, toBody, names, show, onSaved } = setup
  type Field = keyof Form & string
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [draft, setDraft] = useDraft<{ base: Form; mine: Form }>(`settings:${part}:${business.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { decide, sheet } = useMerge<Form>(
    (field) => names[field],
    (value, field) => show(value as Form[Field], field),
  )
  const base = draft?.base ?? toForm(business)
  const form = draft?.mine ?? base
  const changed = (Object.keys(form) as Field[]).filter((field) => !isSame(form[field], base[field]))

  const change = (changes: Partial<Form>) => {
    const mine = { ...(latest.current?.mine ?? base), ...changes }
    setRefused({})
    const next = isSame(mine, base) ? undefined : { base, mine }
    latest.current = next
    setDraft(next)
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    setRefused({})
    let now = business as Business
    try {
      const saved = await saveMerged<Form, Business>({
        base: draft.base,
        mine: draft.mine,
        etag: undefined, // the list of businesses has none: it is read first
        write: (mine, ifMatch) =>
          ask({
            operation: 'updateBusiness',
            input: { body: toBody(mine, now) },
            label,
            about: [business.id],
            ifMatch,
          }),
        read: async () => {
          now = await untilKnown(() => kontor.operations.getBusiness({ path: { businessId: business.id } }))
          return { value: toForm(now), etag: etagOf(now) }
        },
        decide,
      })
      if (saved === undefined) return
      await invalidate('-', ['listBusinesses'])
      const typed = latest.current?.mine
      setDraft(typed && !isSame(typed, draft.mine) ? { base: draft.mine, mine: typed } : undefined)
      toast(t`Changes saved`)
      onSaved?.(saved)
    } catch (error) {
      if (error instanceof KontorError)
        setRefused(Object.fromEntries(error.details.map(({ field, message }) => [field, message])))
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  return {
    form,
    base,
    isSaving,
    change,
    save,
    sheet,
    isChanged: (field: Field) => changed.includes(field),
    changes: changed.map((field) => `${names[field]}: ${show(form[field], field)}`),
    /** What the service said of a field, by the name that it has there. */
    refusalOf: (field: string) => refused[field],
    refusals: refused,
    discard: () => {
      setRefused({})
      setDraft(undefined)
    },
  }
}

export type BusinessForm<Form extends object> = ReturnType<typeof useBusinessForm<Form>>
