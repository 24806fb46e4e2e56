import { etagOf } from '@kontor/sdk'
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
import type { Newsletter } from '../types.ts'

export type Counting = { countClicks: boolean; countOpens: boolean }
/** Of each newsletter, only what differs from what is saved. */
type Typed = Record<string, Partial<Counting>>

const countingOf = ({ countClicks = false, countOpens = false }: Partial<Counting>): Counting => ({
  countClicks,
  countOpens,
})

/** What differs, field by field. */
const changesOf = <Value extends object>(base: Value, mine: Value): Partial<Value> =>
  Object.fromEntries(
    Object.entries(mine).filter(([name, value]) => !isSame(value, base[name as keyof Value])),
  ) as Partial<Value>

/** What each newsletter counts. Kept over a reload, named in the save bar. */
export function useSettings(newsletters: readonly Newsletter[]) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const names = useNames()
  const [typed, setTyped] = useDraft<Typed>(`counting:${business.id}`)
  const latest = useRef(typed)
  const keep = (next: Typed) => {
    const isEmpty = Object.values(next).every((one) => Object.keys(one).length === 0)
    latest.current = isEmpty ? undefined : next
    setTyped(latest.current)
  }
  const [isSaving, setIsSaving] = useState(false)
  const show = (value: unknown) => (value ? t`yes` : t`no`)
  const { decide, sheet } = useMerge<Counting>((field) => names[field], show)

  const countsOf = (newsletter: Newsletter) => ({ ...countingOf(newsletter), ...typed?.[newsletter.id] })
  const changedOf = (newsletter: Newsletter) => changesOf(countingOf(newsletter), countsOf(newsletter))
  const changes = newsletters.flatMap((newsletter) =>
    Object.entries(changedOf(newsletter)).map(
      ([field, value]) => `${newsletter.name}, ${names[field as keyof Counting]}: ${show(value)}`,
    ),
  )

  const saveOne = (newsletter: Newsletter) =>
    saveMerged<Counting, unknown>({
      base: countingOf(newsletter),
      mine: countsOf(newsletter),
      etag: undefined, // it is read first
      write: (body, ifMatch) =>
        ask({
          operation: 'updateCollection',
          input: { path: { id: newsletter.id }, body },
          label: t`Save what ${newsletter.name} counts`,
          about: [newsletter.id],
          ifMatch,
        }),
      read: async () => {
        const path = { businessId: business.id, id: newsletter.id }
        const now = await untilKnown(() => kontor.operations.getCollection({ path }))
        return { value: countingOf(now), etag: etagOf(now) }
      },
      decide,
    })

  /** Each newsletter by itself: what one refuses does not keep the others from being saved. */
  const save = async () => {
    setIsSaving(true)
    const problems: unknown[] = []
    let isLeft = false
    for (const newsletter of newsletters.filter((one) => Object.keys(changedOf(one)).length > 0)) {
      const sent = typed?.[newsletter.id] ?? {}
      try {
        if ((await saveOne(newsletter)) === undefined) isLeft = true
        // What was saved is not typed any more, unless it was typed over meanwhile.
        else keep({ ...latest.current, [newsletter.id]: changesOf(sent, latest.current?.[newsletter.id] ?? {}) })
      } catch (error) {
        problems.push(error)
      }
    }
    setIsSaving(false)
    if (problems.length > 0) toast(t`Couldn’t save. Your changes are still here. ${wordsOf(problems[0]).what}`)
    else if (!isLeft) toast(t`Changes saved`)
  }

  return {
    countsOf,
    changes,
    isSaving,
    save,
    sheet,
    discard: () => keep({}),
    changeCounting: (newsletter: Newsletter, field: keyof Counting, value: boolean) =>
      keep({
        ...typed,
        [newsletter.id]: changesOf(countingOf(newsletter), { ...countsOf(newsletter), [field]: value }),
      }),
  }
}

export function useNames(): Record<keyof Counting, string> {
  const { t } = useLingui()
  return { countClicks: t`Count clicks`, countOpens: t`Count opened letters` }
}
