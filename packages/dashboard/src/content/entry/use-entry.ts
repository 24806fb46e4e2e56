import type { Body } from '@kontor/sdk'
import { etagOf, KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { useLocaleName } from '../../categories/words.ts'
import { isSame } from '../../merge/is-same.ts'
import { saveMerged } from '../../merge/save.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { type Collection, type Entry, statusOf } from '../queries.ts'
import { titleOf } from '../title.ts'
import {
  type EntryForm,
  isBlank,
  localesOf,
  missingOf,
  orphansOf,
  partsOf,
  problemOf,
  toBlocks,
  toForm,
} from './form.ts'
import { useShownValue } from './words.tsx'

type Draft = { base: EntryForm; etag: string; mine: EntryForm }
type Further = Pick<Body<'updateEntry'>, 'statuses' | 'publishAt'>

/** An entry as it is typed: kept over a reload, named in the save bar, merged with what others saved, block by block. */
export function useEntry(collection: Collection, entry: Entry) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const schema = collection.blocks
  const locales = localesOf(entry, business.locales)
  const nameOf = useFieldName(collection, entry.locale)
  const show = useShownValue(schema)
  const [draft, setDraft] = useDraft<Draft>(`entry:${entry.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { decide, sheet } = useMerge<EntryForm>(nameOf, show)
  // A field that the collection got meanwhile is in neither of the two that were kept.
  const now = toForm(schema, entry, locales)
  const base: EntryForm = { ...now, ...draft?.base }
  const form: EntryForm = { ...now, ...draft?.mine }
  const isField = (field: string) => schema.some(({ id }) => id === partsOf(field).blockId)
  const edited = Object.keys(form).filter((field) => !isSame(form[field], base[field]))
  const changed = edited.filter(isField)

  const change = (field: string, value: unknown) => {
    const mine = { ...form, [field]: value }
    setRefused(({ [field]: _gone, ...rest }) => rest)
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(entry), mine })
  }
  const send = async (further: Further) => {
    let before = entry
    let was = base
    let wanted = further
    let sent: ReturnType<typeof toBlocks> = []
    try {
      return await saveMerged<EntryForm, Entry>({
        base,
        mine: form,
        etag: draft?.etag ?? etagOf(entry),
        write: (mine, ifMatch) => {
          sent = toBlocks(schema, before, was, mine)
          const isTouched = Object.keys(mine).some((field) => !isSame(mine[field], was[field]))
          const isLeft = orphansOf(schema, before).length > 0
          return ask({
            operation: 'updateEntry',
            input: {
              path: { id: entry.id },
              body: { ...((isTouched || isLeft || further.statuses) && { blocks: sent }), ...wanted },
            },
            label: t`Save ${titleOf(entry, schema) || t`an entry`}`,
            about: [entry.id],
            ifMatch,
          })
        },
        read: async () => {
          before = await untilKnown(() =>
            kontor.operations.getEntry({ path: { businessId: business.id, id: entry.id } }),
          )
          was = toForm(schema, before, locales)
          // Somebody else, or an answer of ours that was lost, did it already.
          if (wanted.statuses?.[0]?.status === statusOf(before)) wanted = {}
          return { value: was, etag: etagOf(before) }
        },
        decide,
      })
    } catch (error) {
      if (error instanceof KontorError) setRefused(refusalsOf(error, sent, entry.locale))
      throw error
    }
  }
  /** Saves what was typed, and publishes, plans or archives with it if that is wanted. */
  const save = async (further: Further = {}, done = t`Changes saved`): Promise<boolean> => {
    setIsSaving(true)
    setRefused({})
    const typedFirst = draft?.mine
    try {
      const saved = await send(further)
      if (saved === undefined) return false
      const typed = latest.current?.mine
      setDraft(
        typed && typedFirst && !isSame(typed, typedFirst)
          ? { base: typedFirst, etag: etagOf(saved), mine: typed }
          : undefined,
      )
      toast(done)
      return true
    } catch (error) {
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
      return false
    } finally {
      setIsSaving(false)
    }
  }
  const wrong = schema.flatMap((block) =>
    Object.keys(form)
      .filter((field) => partsOf(field).blockId === block.id)
      .flatMap((field) => {
        const problem = problemOf(block, form[field])
        return problem ? [{ field, problem }] : []
      }),
  )
  return {
    locales,
    form,
    changed,
    change,
    save,
    sheet,
    isSaving,
    wrong,
    missing: missingOf(schema, form),
    /** Values that have no field any more, and what was typed into one that is gone. */
    orphans: orphansOf(schema, entry),
    lost: edited.filter((field) => !isField(field) && !isBlank(form[field])),
    changes: changed.map((field) => `${nameOf(field)}: ${show(form[field], field)}`),
    refusalOf: (field: string) => refused[field],
    discard: () => {
      setRefused({})
      setDraft(undefined)
    },
  }
}

/** The service names a value by its place in what was sent, `blocks.2.value.de`, or a missing one by its id, `blocks.title`. */
export function refusalsOf(error: KontorError, sent: readonly { id?: string }[], own: string): Record<string, string> {
  return Object.fromEntries(
    error.details.flatMap(({ field, message }) => {
      const [, place = '', , locale = own] = field.split('.')
      const id = /^\d+$/.test(place) ? sent[Number(place)]?.id : place
      return id ? [[id, message] as const, [`${id}@${locale}`, message] as const] : []
    }),
  )
}

/** `Title`, and `Title, German` where it is not the language of the entry. */
export function useFieldName({ blocks }: Pick<Collection, 'blocks'>, own: string) {
  const localeName = useLocaleName()
  return (field: string): string => {
    const { blockId, locale } = partsOf(field)
    const name = blocks.find(({ id }) => id === blockId)?.label || blockId
    return locale === undefined || locale === own ? name : `${name}, ${localeName(locale)}`
  }
}
