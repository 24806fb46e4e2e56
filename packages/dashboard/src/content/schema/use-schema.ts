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
import type { Block, Collection } from '../queries.ts'
import { useBlockNames } from '../words.tsx'
import {
  blocksOf,
  changedBlocks,
  changesOf,
  keyOf,
  mergeSchemas,
  problemOf,
  type SchemaForm,
  toForm,
} from './schema.ts'

type Draft = { base: SchemaForm; etag: string; mine: SchemaForm }

/** A collection as it is changed: kept over a reload, named in the save bar, merged with what others saved. */
export function useSchema(collection: Collection) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { nameOf, show } = useSchemaWords()
  const [draft, setDraft] = useDraft<Draft>(`collection:${collection.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [error, setError] = useState<unknown>()
  const base = draft?.base ?? toForm(collection)
  const form = draft?.mine ?? base
  const { decide, sheet } = useMerge<SchemaForm>((field) => nameOf(field, form, base), show)
  const change = (mine: SchemaForm) => {
    setError(undefined)
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(collection), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    setError(undefined)
    let before = draft.base
    try {
      const saved = await saveMerged<SchemaForm, unknown>({
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (next, ifMatch) =>
          ask({
            operation: 'updateCollection',
            input: { path: { id: collection.id }, body: changesOf(before, next) },
            label: t`Save the collection ${collection.name}`,
            about: [collection.id],
            ifMatch,
          }),
        read: async () => {
          const path = { businessId: business.id, id: collection.id }
          const now = await untilKnown(() => kontor.operations.getCollection({ path }))
          before = toForm(now)
          return { value: before, etag: etagOf(now) }
        },
        merge: mergeSchemas,
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
  const blocks = blocksOf(form)
  const changed = changedBlocks(base, form)
  const isMoved = !isSame(
    form.order.filter((id) => base.order.includes(id)),
    base.order.filter((id) => form.order.includes(id)),
  )
  const texts = (['name', 'slug', 'description'] as const).filter((field) => form[field] !== base[field])
  return {
    base,
    form,
    blocks,
    changed,
    change,
    save,
    sheet,
    isSaving,
    /** What the service said of a field: `slug`, or `blocks.2`. */
    refusalOf: (field: string) =>
      error instanceof KontorError
        ? error.details.find((one) => one.field === field || one.field.startsWith(`${field}.`))?.message
        : undefined,
    changesBlocks: !isSame(blocks, blocksOf(base)),
    isWrong: form.name.trim() === '' || form.slug === '' || blocks.some((block) => problemOf(block) !== undefined),
    changes: [
      ...texts.map((field) => `${nameOf(field, form, base)}: ${form[field] || '–'}`),
      ...changed.map((id) => blockWords(base[keyOf(id)], form[keyOf(id)])),
      ...(isMoved ? [t`The order of the fields`] : []),
    ],
    discard: () => setDraft(undefined),
  }

  function blockWords(was: Block | undefined, is: Block | undefined): string {
    const name = is?.label || was?.label || is?.id || was?.id || ''
    if (!was) return t`New field: ${name}`
    return is ? t`Field changed: ${name}` : t`Field taken out: ${name}`
  }
}

function useSchemaWords() {
  const { t } = useLingui()
  const types = useBlockNames()
  const texts: Record<string, string> = { name: t`Name`, slug: t`Address`, description: t`Description` }
  return {
    nameOf: (field: string, form: SchemaForm, base: SchemaForm): string => {
      const key = field as ReturnType<typeof keyOf>
      return texts[field] ?? form[key]?.label ?? base[key]?.label ?? field.replace(/^block:/, '')
    },
    /** A field in a few words, where both changed it. */
    show: (value: unknown): string => {
      if (typeof value !== 'object' || value === null) return typeof value === 'string' && value ? value : t`taken out`
      const { label, type, required, settings } = value as Block
      const set = Object.entries(settings ?? {}).map(([name, one]) => `${name} ${JSON.stringify(one)}`)
      return [label, types[type], ...(required ? [t`required`] : []), ...set].join(', ')
    },
  }
}
