import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { isSame } from '../../merge/is-same.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { atOnce } from '../at-once.ts'
import { type CalloutForm, EMPTY, limitOf, toBody, toForm } from './form.ts'
import { type Callout, type Point, usePointWords } from './words.ts'

type Name = keyof CalloutForm

/** A service as it is set up or changed: kept over a reload, named in the save bar. The first time its secret comes back. */
export function useCallout(point: Point, callout: Callout | undefined) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { number } = useFormat()
  const ask = useAsk()
  const wordsOf = useProblem()
  const words = usePointWords()(point)
  const about = `callout:${businessId}:${point}`
  const [draft, setDraft] = useDraft<{ base: CalloutForm; mine: CalloutForm }>(about)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>()
  const [made, setMade] = useState<{ secret: string | null }>()
  const base = draft?.base ?? (callout ? toForm(callout) : EMPTY)
  const form = draft?.mine ?? base
  const names: Record<Name, string> = {
    url: t`Address`,
    timeoutMs: t`Time limit`,
    onFailure: t`If it fails`,
    isEnabled: t`Is asked`,
  }
  const show = (field: Name): string => {
    const limit = limitOf(form.timeoutMs)
    if (field === 'timeoutMs') return limit === undefined ? form.timeoutMs : t`${number(limit)} ms`
    if (field === 'onFailure') return form.onFailure === 'FAIL' ? t`Refuse the sale` : words.fallback
    return field === 'isEnabled' ? (form.isEnabled ? t`yes` : t`no`) : form.url
  }
  const changed = (Object.keys(names) as Name[]).filter((field) => !isSame(form[field], base[field]))
  const change = (changes: Partial<CalloutForm>) => {
    const mine = { ...form, ...changes }
    setError(undefined)
    setDraft(isSame(mine, base) ? undefined : { base, mine })
  }
  const write = async (mine: CalloutForm) => {
    if (callout) {
      const input = { path: { point }, body: toBody(mine, changed) }
      return void (await ask({ operation: 'saveCallout', input, label: t`Save: ${words.name}`, about: [about] }))
    }
    const body = toBody(mine, ['url', 'timeoutMs', 'onFailure', 'isEnabled'])
    const first = () => kontor.operations.saveCallout({ path: { businessId, point }, body })
    setMade({ secret: (await atOnce(businessId, first)).secret })
  }
  const save = async () => {
    if (!draft) return
    setSaving(true)
    setError(undefined)
    try {
      await write(draft.mine)
      const typed = latest.current?.mine
      setDraft(typed && !isSame(typed, draft.mine) ? { base: draft.mine, mine: typed } : undefined)
      await invalidate(businessId, ['listCallouts', 'getCallout'])
      toast(t`Changes saved`)
    } catch (cause) {
      setError(cause)
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(cause).what}`)
    } finally {
      setSaving(false)
    }
  }
  const limitProblem = limitOf(form.timeoutMs) === undefined ? t`A whole number from 100 to 3000.` : undefined
  const refused =
    error instanceof KontorError ? Object.fromEntries(error.details.map(({ field, message }) => [field, message])) : {}
  return {
    form,
    isSaving,
    change,
    save,
    sheet: null,
    made,
    forgetSecret: () => setMade(undefined),
    missing: form.url.trim() === '' ? t`Type an address first.` : limitProblem,
    isChanged: (field: Name) => callout !== undefined && changed.includes(field),
    problemOf: (field: Name): string | undefined =>
      field === 'timeoutMs' ? (limitProblem ?? refused.timeoutMs) : refused[field],
    changes: changed.map((field) => `${names[field]}: ${show(field)}`),
    discard: () => {
      setError(undefined)
      setDraft(undefined)
    },
  }
}
