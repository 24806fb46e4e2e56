import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { isSame } from '../../merge/is-same.ts'
import { saveMerged } from '../../merge/save.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { Automation, Newsletter, Trigger } from '../types.ts'
import { type AutomationForm, type Field, readForm, toForm } from './form.ts'
import { useTriggerNames } from './words.ts'

type Draft = { base: AutomationForm; mine: AutomationForm }
type Props = { newsletter: Newsletter; trigger: Trigger; automation: Automation | undefined }

/** One of them as it is set up or changed: kept over a reload, merged with what others saved. */
export function useAutomation({ newsletter, trigger, automation }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const ask = useAsk()
  const name = useTriggerNames()[trigger]
  const fieldNames = useFieldNames()
  const about = `automation:${newsletter.id}:${trigger}`
  const [draft, setDraft] = useDraft<Draft>(about)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const { decide, sheet } = useMerge<AutomationForm>((field) => fieldNames[field])
  const isAsked = useAsked(about).length > 0 || isSending
  const base = draft?.base ?? toForm(trigger, automation)
  const form = draft?.mine ?? base
  const { body, wrong } = readForm(form)

  const change = (changes: Partial<AutomationForm>) => {
    const mine = { ...form, ...changes }
    setError(undefined)
    setDraft(isSame(mine, base) ? undefined : { base, mine })
  }

  const create = () =>
    ask({
      operation: 'createAutomation',
      input: { path: { collectionId: newsletter.id }, body: { trigger, ...body } },
      label: t`Set up ${name}`,
      about: [about, newsletter.id],
    })

  const update = ({ id }: Automation) =>
    saveMerged<AutomationForm, unknown>({
      base,
      mine: form,
      etag: undefined, // a list has none: what it is now is read first
      write: (next, ifMatch) =>
        ask({
          operation: 'updateAutomation',
          input: { path: { collectionId: newsletter.id, id }, body: readForm(next).body },
          label: t`Change ${name}`,
          about: [about, id, newsletter.id],
          ifMatch,
        }),
      read: async () => {
        const path = { businessId, collectionId: newsletter.id, id }
        const now = await untilKnown(() => kontor.operations.getAutomation({ path }))
        return { value: toForm(trigger, now), etag: etagOf(now) }
      },
      decide,
    })

  /** Whether it is saved. */
  const save = async (): Promise<boolean> => {
    setSending(true)
    setError(undefined)
    try {
      const saved = await (automation ? update(automation) : create())
      if (saved === undefined) return false
      setDraft(undefined)
      toast(automation ? t`Changes saved` : t`${name} created`)
      return true
    } catch (cause) {
      setError(cause)
      return false
    } finally {
      setSending(false)
    }
  }
  const discard = () => setDraft(undefined)
  return { form, change, body, wrong, save, discard, isAsked, isChanged: draft !== undefined, error, sheet }
}

function useFieldNames(): Record<Field, string> {
  const { t } = useLingui()
  return {
    entryId: t`Letter`,
    delay: t`After`,
    unit: t`Unit`,
    times: t`How many times at most`,
    days: t`In how many days`,
    isEnabled: t`It goes out by itself`,
  }
}
