import '../content.css'
import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useLocaleName } from '../../categories/words.ts'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useIsShown } from '../../ui/use-is-shown.ts'
import { type Collection, collectionQuery } from '../queries.ts'
import { besideOf, EntryForm } from './entry-form.tsx'
import { type EntryForm as Form, isBlank, missingOf, partsOf, problemOf, toBlocks, toForm } from './form.ts'
import { GenerateSheet } from './generate-sheet.tsx'
import { refusalsOf } from './use-entry.ts'

const route = getRouteApi('/signed-in/$business/content/$collection/new')

/** An entry that is not made yet: kept on this machine, a draft when it is. */
export function NewEntryPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { collection: id } = route.useParams()
  const { data, error, refetch } = useQuery(collectionQuery(business.id, id))
  usePageTitle(t`New entry`)
  if (data) return <NewEntry key={id} collection={data} />
  return (
    <>
      <header className="head">
        <h1>{t`New entry`}</h1>
      </header>
      {error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={6} columns={2} />
      )}
    </>
  )
}

type Draft = { locale: string; mine: Form }

function NewEntry({ collection }: { collection: Collection }) {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = route.useNavigate()
  const search = route.useSearch()
  const ask = useAsk()
  const wordsOf = useProblem()
  const localeName = useLocaleName()
  const { reason: lacking } = usePermissions()
  const about = `new-entry:${collection.id}`
  const [kept, setDraft] = useDraft<Draft>(about)
  const [sent, setSent] = useState<Draft>()
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()
  const isAsking = useAsked(about).length > 0 || sent !== undefined
  const { locale, mine } = sent ?? kept ?? { locale: business.defaultLocale, mine: {} }
  const schema = collection.blocks
  const locales = [...new Set([locale, ...business.locales])]
  const nothing = { locale, blocks: [] }
  const empty = toForm(schema, nothing, locales)
  const form = { ...empty, ...mine }
  const written = toBlocks(schema, nothing, empty, form)
  const wrong = schema.flatMap((block) =>
    Object.keys(form)
      .filter((field) => partsOf(field).blockId === block.id)
      .flatMap((field) => {
        const problem = problemOf(block, form[field])
        return problem ? [{ field, problem }] : []
      }),
  )
  const refused = error instanceof KontorError ? refusalsOf(error, written, locale) : {}
  const missing = missingOf(schema, form)
  const lacks = lacking('CONTENT_WRITE')
  const reason =
    lacks ?? (isAsking ? t`Processing…` : undefined) ?? (wrong.length > 0 ? t`A field is not right yet.` : undefined)
  const change = (field: string, value: unknown) => {
    setError(undefined)
    setDraft({ locale, mine: { ...mine, [field]: value } })
  }
  const create = async () => {
    if (reason) return
    const draft = { locale, mine }
    setSent(draft)
    setDraft(undefined)
    setError(undefined)
    try {
      const made = await ask({
        operation: 'createEntry',
        input: { body: { collectionId: collection.id, locale, blocks: written } },
        label: t`New entry in ${collection.name}`,
        about: [about],
      })
      toast(t`Draft saved`)
      if (isShown.current)
        void navigate({
          to: '/$business/content/$collection/$entry',
          params: { business: address, collection: collection.id, entry: made.id },
          search: {},
          replace: true,
        })
    } catch (cause) {
      setDraft(draft)
      setSent(undefined)
      setError(cause)
      if (!isShown.current) toast(t`Couldn’t create the entry. Your changes are still here. ${wordsOf(cause).what}`)
    }
  }
  useCommands([
    { id: 'create-entry', label: t`Save as a draft`, keys: 'mod+Enter', icon: Check, reason, run: () => void create() },
  ])
  const hasWords = Object.values(form).some((value) => !isBlank(value))
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/content" params={(now) => now} search={{}}>{t`Content`}</route.Link>
          <Icon of={ChevronRight} />
          <route.Link to="/$business/content/$collection" params={(now) => now} search={{}}>
            {collection.name}
          </route.Link>
        </nav>
        <h1>{t`New entry`}</h1>
        <p className="facts-line soft hide-phone">
          {hasWords ? t`Kept in this tab until it is saved` : t`A draft: nobody outside sees it`}
        </p>
        <div className="acts">
          {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
          <GenerateSheet {...{ collection, lacks, form }} own={locale} onTake={change} />
          <Button look="main" reason={reason} onClick={() => void create()}>{t`Save as a draft`}</Button>
        </div>
      </header>
      <div className="record">
        <div className="work" inert={sent !== undefined}>
          {error !== undefined && <Problem error={error} kept={t`Nothing was created. Your changes are still here.`} />}
          <EntryForm
            {...{ collection, locales, form, wrong }}
            entry={undefined}
            own={locale}
            beside={besideOf(form, locale, locales, search.locale)}
            changed={[]}
            isLocked={lacks !== undefined}
            refusalOf={(field) => refused[field]}
            onChange={change}
          />
        </div>
        <aside className="facts" aria-label={t`Facts`}>
          <section>
            <Select
              label={t`Language`}
              value={locale}
              disabled={hasWords || lacks !== undefined}
              hint={hasWords ? t`Chosen before the first word.` : t`What its texts are written in first.`}
              onChange={({ target }) => setDraft({ locale: target.value, mine })}
            >
              {business.locales.map((one) => (
                <option key={one} value={one}>
                  {localeName(one)}
                </option>
              ))}
            </Select>
          </section>
          <section>
            <h2>{t`Required before it is published`}</h2>
            <p className="soft">
              {missing.length === 0 ? t`All there` : missing.map(({ label, id }) => label || id).join(', ')}
            </p>
          </section>
        </aside>
      </div>
    </>
  )
}
