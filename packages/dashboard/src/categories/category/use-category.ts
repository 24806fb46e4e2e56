import type { Answer } from '@kontor/sdk'
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
import { useLocaleName } from '../words.ts'
import { partsOf, type Text, type Texts, toChanges, toTexts } from './texts.ts'

type Category = Answer<'getCategory'>
type Draft = { base: Texts; etag: string; mine: Texts }

/** The texts as they are typed: kept over a reload, named in the save bar, merged with what others saved. */
export function useCategory(category: Category, locales: readonly string[]) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const nameOf = useFieldName()
  const [draft, setDraft] = useDraft<Draft>(`category:${category.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<{ field: string; message: string }[]>([])
  const pictureWords = (json: string) => (json ? t`another picture` : t`none`)
  const wordsIn = (field: string, text: string) => (field === 'image' ? pictureWords(text) : short(text))
  const { decide, sheet } = useMerge<Texts>(nameOf, (value, field) => wordsIn(field, value as string))
  const base = draft?.base ?? toTexts(category, locales)
  const value = draft?.mine ?? base
  const changed = Object.keys(value).filter((field) => value[field] !== base[field])

  const change = (field: string, text: string) => {
    const mine = { ...value, [field]: text }
    setRefused((before) => before.filter((one) => one.field !== field))
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(category), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    setRefused([])
    let before = draft.base
    try {
      const saved = await saveMerged<Texts, unknown>({
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (texts, ifMatch) =>
          ask({
            operation: 'updateCategory',
            input: { path: { id: category.id }, body: toChanges(before, texts) },
            label: t`Save the category ${category.name}`,
            about: [category.id],
            ifMatch,
          }),
        read: async () => {
          const path = { businessId: business.id, id: category.id }
          const now = await untilKnown(() => kontor.operations.getCategory({ path }))
          before = toTexts(now, locales)
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
    changes: changed.map((field) => `${nameOf(field)}: ${wordsIn(field, value[field] ?? '')}`),
    problemOf: (field: string) => refused.find((one) => one.field === field)?.message,
    isSaving,
    change,
    save,
    sheet,
    discard: () => setDraft(undefined),
  }
}

/** The service says `translations.de.slug`. */
const toRefusal = ({ field, message }: { field: string; message: string }) => ({
  field: field.replace(/^translations\.([^.]+)\./, '$1:'),
  message,
})

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text || '–')

export function useTextNames(): Record<Text, string> {
  const { t } = useLingui()
  return {
    name: t`Name`,
    slug: t`Address`,
    description: t`Description`,
    'seo.title': t`Title for search engines`,
    'seo.description': t`Description for search engines`,
  }
}

function useFieldName() {
  const { t } = useLingui()
  const names = useTextNames()
  const localeName = useLocaleName()
  return (field: string): string => {
    if (field === 'image') return t`Picture`
    const { locale, text } = partsOf(field)
    return locale === undefined ? names[text] : `${names[text]}, ${localeName(locale)}`
  }
}
