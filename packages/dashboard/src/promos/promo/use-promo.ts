import { etagOf, KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { isSame } from '../../merge/is-same.ts'
import { saveMerged } from '../../merge/save.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { Promo } from '../queries.ts'
import { changesOf, FIELDS, type Field, type PromoForm, readForm, toForm } from './form.ts'
import { useFieldNames, useProblemWords, useShownField } from './use-form-words.ts'

type Draft = { base: PromoForm; etag: string; mine: PromoForm }

/** A code as it is changed: kept over a reload, named in the save bar, merged with what others saved. */
export function usePromo(promo: Promo) {
  const { t } = useLingui()
  const business = useBusiness()
  const { timeZone } = business
  const ask = useAsk()
  const wordsOf = useProblem()
  const names = useFieldNames()
  const problemWords = useProblemWords()
  const show = useShownField()
  const [draft, setDraft] = useDraft<Draft>(`promo:${promo.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<Partial<Record<string, string>>>({})
  const { decide, sheet } = useMerge<PromoForm>(
    (field) => names[field],
    (value) => show(value as PromoForm[Field]),
  )
  const base = draft?.base ?? toForm(promo, business, timeZone)
  const form = draft?.mine ?? base
  const changed = FIELDS.filter((field) => !isSame(form[field], base[field]))
  const { body, problems } = readForm(form, business, timeZone)

  const change = (changes: Partial<PromoForm>) => {
    const mine = { ...form, ...changes }
    setRefused({})
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(promo), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    let before = draft.base
    try {
      const saved = await saveMerged<PromoForm, unknown>({
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (next, ifMatch) =>
          ask({
            operation: 'updatePromoCode',
            input: { path: { id: promo.id }, body: changesOf(before, next, readForm(next, business, timeZone).body) },
            label: t`Save the code ${promo.code}`,
            about: [promo.id],
            ifMatch,
          }),
        read: async () => {
          const path = { businessId: business.id, id: promo.id }
          const now = await untilKnown(() => kontor.operations.getPromoCode({ path }))
          before = toForm(now, business, timeZone)
          return { value: before, etag: etagOf(now) }
        },
        decide,
      })
      if (saved === undefined) return
      const typed = latest.current?.mine
      setDraft(typed && !isSame(typed, draft.mine) ? { ...draft, base: draft.mine, mine: typed } : undefined)
      toast(t`Changes saved`)
    } catch (error) {
      setRefused(refusalsOf(error))
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  return {
    form,
    body,
    changed,
    isSaving,
    change,
    save,
    sheet,
    changes: changed.map((field) => `${names[field]}: ${show(form[field])}`),
    problemOf: (field: Field) => problemWords(problems[field], form.currency) ?? refused[field],
    isWrong: Object.keys(problems).length > 0,
    discard: () => setDraft(undefined),
  }
}

/** What the service said of each field. */
export const refusalsOf = (error: unknown): Partial<Record<string, string>> =>
  error instanceof KontorError
    ? Object.fromEntries(error.details.map(({ field, message }) => [field.split('.')[0], message]))
    : {}
