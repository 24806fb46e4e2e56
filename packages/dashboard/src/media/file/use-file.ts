import { type Answer, etagOf, KontorError } from '@kontor/sdk'
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
import { useLocaleName } from '../words.tsx'
import { type Fields, localeOf, type Point, toChanges, toFields } from './fields.ts'

type MediaFile = Answer<'getMedia'>
type Draft = { base: Fields; etag: string; mine: Fields }

const SHOWN = 40

/** What is typed and pointed at: kept over a reload, named in the save bar, merged with what others saved. */
export function useFile(file: MediaFile, locales: readonly string[]) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { nameOf, valueIn } = useFieldWords()
  const [draft, setDraft] = useDraft<Draft>(`media:${file.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<{ field: string; message: string }[]>([])
  const { decide, sheet } = useMerge<Fields>(nameOf, (value, field) => valueIn(field, value))
  const base = draft?.base ?? toFields(file, locales)
  const value = draft?.mine ?? base
  const changed = Object.keys(value).filter((field) => !isSame(value[field], base[field]))

  const change = (field: string, next: unknown) => {
    const mine = { ...value, [field]: next }
    setRefused((before) => before.filter((one) => one.field !== field))
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(file), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    setRefused([])
    let before = draft.base
    try {
      const saved = await saveMerged<Fields, unknown>({
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (fields, ifMatch) =>
          ask({
            operation: 'updateMedia',
            input: { path: { id: file.id }, body: toChanges(before, fields) },
            label: t`Save the file ${file.fileName}`,
            about: [file.id],
            ifMatch,
          }),
        read: async () => {
          const path = { businessId, id: file.id }
          const now = await untilKnown(() => kontor.operations.getMedia({ path }))
          before = toFields(now, locales)
          return { value: before, etag: etagOf(now) }
        },
        decide,
      })
      if (saved === undefined) return
      const typed = latest.current?.mine
      // What was typed while it was saved is still to be saved, on top of what was.
      setDraft(typed && !isSame(typed, draft.mine) ? { ...draft, base: draft.mine, mine: typed } : undefined)
      toast(t`Changes saved`)
    } catch (error) {
      setRefused(error instanceof KontorError ? error.details.map(toRefusal) : [])
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  return {
    value,
    changed,
    changes: changed.map((field) => `${nameOf(field)}: ${valueIn(field, value[field])}`),
    problemOf: (field: string) => refused.find((one) => one.field === field)?.message,
    isSaving,
    change,
    save,
    sheet,
    discard: () => setDraft(undefined),
  }
}

/** The service says `alt.de`. */
const toRefusal = ({ field, message }: { field: string; message: string }) => ({
  field: field.replace(/^alt\./, 'alt:'),
  message,
})

function useFieldWords() {
  const { t } = useLingui()
  const localeName = useLocaleName()
  const names: Record<string, string> = { fileName: t`Name`, tags: t`Tags`, focalPoint: t`Focal point` }
  const nameOf = (field: string): string => {
    const locale = localeOf(field)
    return locale === undefined ? (names[field] ?? field) : t`Alt text in ${localeName(locale)}`
  }
  const pointWords = usePointWords()
  const valueIn = (field: string, value: unknown): string => {
    if (field === 'focalPoint') return pointWords(value as Point | null)
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text || '–'
  }
  return { nameOf, valueIn }
}

export function usePointWords() {
  const { t } = useLingui()
  return (point: Point | null): string => {
    if (!point) return t`the middle`
    const [x, y] = [Math.round(point.x * 100), Math.round(point.y * 100)]
    return t`${x} % from the left, ${y} % from the top`
  }
}
