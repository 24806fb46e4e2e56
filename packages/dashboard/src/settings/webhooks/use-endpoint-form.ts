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
import type { EndpointForm } from './endpoint-fields.tsx'
import { problemsOf } from './problems.ts'
import type { Endpoint } from './queries.ts'
import { nameOf, useListensTo } from './words.tsx'

type Name = keyof EndpointForm

const toForm = ({ url, types, description }: EndpointForm): EndpointForm => ({ url, types, description })

/** An endpoint as it is changed: kept over a reload, named in the save bar, merged with what others saved. */
export function useEndpointForm(endpoint: Endpoint) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const listensTo = useListensTo()
  const { id } = endpoint
  const [draft, setDraft] = useDraft<{ base: EndpointForm; etag: string; mine: EndpointForm }>(`endpoint:${id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [error, setError] = useState<unknown>()
  const names: Record<Name, string> = { url: t`Address`, types: t`Told of`, description: t`Purpose` }
  const show = (value: unknown) => (Array.isArray(value) ? listensTo(value as string[]) : String(value))
  const { decide, sheet } = useMerge<EndpointForm>((field) => names[field], show)
  const base = draft?.base ?? toForm(endpoint)
  const form = draft?.mine ?? base
  const changed = (Object.keys(names) as Name[]).filter((field) => !isSame(form[field], base[field]))
  const change = (changes: Partial<EndpointForm>) => {
    const mine = { ...form, ...changes }
    setError(undefined)
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(endpoint), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    setError(undefined)
    let before = draft.base
    const name = nameOf(endpoint)
    try {
      const saved = await saveMerged<EndpointForm, unknown>({
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (mine, ifMatch) =>
          ask({
            operation: 'updateWebhookEndpoint',
            input: {
              path: { id },
              body: {
                ...(mine.url !== before.url && { url: mine.url.trim() }),
                ...(mine.description !== before.description && { description: mine.description.trim() }),
                ...(!isSame(mine.types, before.types) && { types: mine.types }),
              },
            },
            label: t`Save the endpoint ${name}`,
            about: [id],
            ifMatch,
          }),
        read: async () => {
          const path = { businessId: business.id, id }
          const now = await untilKnown(() => kontor.operations.getWebhookEndpoint({ path }))
          before = toForm(now)
          return { value: before, etag: etagOf(now) }
        },
        decide,
      })
      if (saved === undefined) return
      const typed = latest.current?.mine
      setDraft(typed && !isSame(typed, draft.mine) ? { ...draft, base: draft.mine, mine: typed } : undefined)
      toast(t`Changes saved`)
    } catch (cause) {
      setError(cause)
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(cause).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  const refused = problemsOf(error)
  return {
    form,
    isSaving,
    change,
    save,
    sheet,
    isChanged: (field: Name) => changed.includes(field),
    problemOf: (field: Name) => refused[field],
    changes: changed.map((field) => `${names[field]}: ${show(form[field])}`),
    discard: () => {
      setError(undefined)
      setDraft(undefined)
    },
  }
}
