import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { isSame } from '../../merge/is-same.ts'
import { onlySeen } from '../../outbox/in-name-of.ts'
import { seenAs } from '../../session/see-as.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { FIELDS, type Field, type Provider, type ProviderForm, toBody, toForm, wrongWith } from './form.ts'

type Names = Record<Field | 'clientSecret', string>

/**
 * The sign-in provider as it is changed: kept over a reload, but for the secret, and named in the save bar. It is sent at
 * once and not by the outbox, because a secret must not lie in a browser.
 */
export function useProvider(
  provider: Provider | undefined,
  names: Names,
  show: (form: ProviderForm, field: Field) => string,
) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const wordsOf = useProblem()
  const [draft, setDraft] = useDraft<{ base: ProviderForm; mine: ProviderForm }>(`settings:sign-in:${businessId}`)
  const [secret, setSecret] = useState('')
  const [isSaving, setSaving] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})
  const isNew = provider === undefined
  const base = draft?.base ?? toForm(provider)
  const form = draft?.mine ?? base
  const wrong = wrongWith(form, base, secret, isNew)
  const changed = FIELDS.filter((field) => !isSame(form[field], base[field]))

  const change = (changes: Partial<ProviderForm>) => {
    const mine = { ...form, ...changes }
    setRefused({})
    setDraft(isSame(mine, base) ? undefined : { base, mine })
  }
  const discard = () => {
    setRefused({})
    setSecret('')
    setDraft(undefined)
  }
  const save = async () => {
    setSaving(true)
    setRefused({})
    try {
      if (seenAs()?.businessId === businessId) throw onlySeen()
      const body = toBody(form, base, secret, isNew)
      await kontor.operations.saveSignInProvider({ path: { businessId }, body })
      await invalidate(businessId, ['getSignInProvider', 'listAudit'])
      setSecret('')
      setDraft(undefined)
      toast(t`Changes saved`)
    } catch (error) {
      const said = error instanceof KontorError ? error.details.filter(({ field }) => field !== '') : []
      setRefused(Object.fromEntries(said.map(({ field, message }) => [field, message])))
      // What stands beside its field need not be said twice.
      const what = said.length > 0 ? '' : wordsOf(error).what
      toast(t`Couldn’t save. Your changes are still here. ${what}`)
    } finally {
      setSaving(false)
    }
  }
  return {
    form,
    base,
    isNew,
    isSaving,
    wrong,
    secret,
    setSecret: (typed: string) => {
      setRefused({})
      setSecret(typed)
    },
    change,
    discard,
    save,
    sheet: null,
    isChanged: (field: Field) => changed.includes(field),
    changes: [
      ...changed.map((field) => `${names[field]}: ${show(form, field)}`),
      ...(secret.trim() === '' ? [] : [names.clientSecret]),
    ],
    /** What the service said of a field, or of something in it. */
    refusalOf: (field: string) =>
      refused[field] ?? Object.entries(refused).find(([place]) => place.startsWith(`${field}.`))?.[1],
  }
}

export type ProviderSettings = ReturnType<typeof useProvider>
