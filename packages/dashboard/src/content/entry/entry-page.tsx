import '../content.css'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronRight, History, Trash2 } from 'lucide-react'
import { useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Status } from '../../ui/status.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { type Collection, collectionQuery, type Entry, entryQuery, statusOf } from '../queries.ts'
import { titleOf } from '../title.ts'
import { ContentState } from '../words.tsx'
import { DeleteEntry } from './delete-entry.tsx'
import { besideOf, EntryForm } from './entry-form.tsx'
import { EntryFacts } from './facts.tsx'
import { partsOf } from './form.ts'
import { GenerateSheet } from './generate-sheet.tsx'
import { PreviewButton } from './preview-button.tsx'
import { PublishActs } from './publish-acts.tsx'
import { useEntry } from './use-entry.ts'
import { useShownValue } from './words.tsx'

const route = getRouteApi('/signed-in/$business/content/$collection/$entry')

/** One entry: its form, made from the fields of its collection, and when the shop shows it. */
export function EntryPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { entry: id, collection: collectionId } = route.useParams()
  const collection = useQuery(collectionQuery(business.id, collectionId))
  const entry = useQuery(entryQuery(business.id, id))
  const error = collection.error ?? entry.error
  const title = (entry.data && titleOf(entry.data, collection.data?.blocks)) || t`Without a title`
  usePageTitle(entry.data ? title : t`Entry`)
  if (collection.data && entry.data)
    return <Editor key={id} collection={collection.data} entry={entry.data} title={title} />
  return (
    <>
      <header className="head">
        <h1>{t`Entry`}</h1>
      </header>
      {error ? (
        <div className="page">
          <Problem
            error={error}
            onRetry={() => {
              void collection.refetch()
              void entry.refetch()
            }}
          />
        </div>
      ) : (
        <Bones rows={8} columns={2} />
      )}
    </>
  )
}

type Props = { collection: Collection; entry: Entry; title: string }

function Editor({ collection, entry, title }: Props) {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { reason } = usePermissions()
  const lacks = reason('CONTENT_WRITE')
  const isAsked = useAsked(entry.id).length > 0
  const edit = useEntry(collection, entry)
  const { form, changed, changes, missing, wrong, isSaving, locales } = edit
  const guard = useLeaveGuard(changes.length > 0)
  const beside = besideOf(form, entry.locale, locales, search.locale)
  const isComplete = missing.length === 0
  const mustBeComplete = statusOf(entry) === 'PUBLISHED' || entry.publishAt !== undefined
  const missingNames = missing.map(({ label, id }) => label || id).join(', ')
  const isWrong = wrong.length > 0 ? t`A field is not right yet.` : undefined
  const lacksWords = isComplete ? undefined : t`Required and still empty: ${missingNames}.`
  const show = (sheet: 'delete' | 'plan' | undefined) =>
    void navigate({ search: (now) => ({ ...now, do: sheet }), replace: sheet === undefined })
  useCommands([
    { id: 'delete-entry', label: t`Delete this entry`, icon: Trash2, reason: lacks, run: () => show('delete') },
    {
      id: 'versions',
      label: t`Versions of this entry`,
      keys: 'v',
      icon: History,
      reason: lacks,
      run: () => void navigate({ to: '/$business/content/$collection/$entry/versions', params: (now) => now }),
    },
  ])
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
        <h1>{title}</h1>
        <div className="facts-line soft">
          {isAsked ? <Status fill="unknown" tone="wait">{t`Processing…`}</Status> : <ContentState of={entry} />}
        </div>
        <div className="acts tight">
          <GenerateSheet {...{ collection, lacks, form }} own={entry.locale} onTake={edit.change} />
          <PreviewButton entry={entry} hasChanges={changes.length > 0} />
          <Button
            icon={History}
            reason={lacks}
            onClick={() =>
              void navigate({ to: '/$business/content/$collection/$entry/versions', params: (now) => now, search: {} })
            }
          >{t`Versions`}</Button>
          <PublishActs
            {...{ collection, entry, isSaving, lacks }}
            hasChanges={changes.length > 0}
            reason={lacks ?? isWrong ?? lacksWords}
            isPlanning={search.do === 'plan'}
            onPlan={(isOpen) => show(isOpen ? 'plan' : undefined)}
            onSave={edit.save}
          />
        </div>
      </header>
      <div className="record">
        <div className="work">
          <SchemaNotices {...{ collection, entry, edit, mustBeComplete, missingNames }} />
          <EntryForm
            {...{ collection, entry, locales, beside, form, changed, wrong }}
            own={entry.locale}
            isLocked={lacks !== undefined}
            refusalOf={edit.refusalOf}
            onChange={edit.change}
          />
        </div>
        <EntryFacts
          {...{ collection, entry, lacks }}
          missing={missing.map(({ label, id }) => label || id)}
          onDelete={() => show('delete')}
        />
      </div>
      <SaveBar
        changes={changes}
        isSaving={isSaving}
        reason={lacks ?? isWrong ?? (mustBeComplete ? lacksWords : undefined)}
        onSave={() => void edit.save()}
        onDiscard={edit.discard}
      />
      <LeaveDialog guard={guard} />
      {edit.sheet}
      {search.do === 'delete' && (
        <DeleteEntry
          {...{ entry, title }}
          onClose={() => show(undefined)}
          onDeleted={() => void navigate({ to: '/$business/content/$collection', params: (now) => now, search: {} })}
        />
      )}
    </>
  )
}

type NoticeProps = {
  collection: Collection
  entry: Entry
  edit: ReturnType<typeof useEntry>
  mustBeComplete: boolean
  missingNames: string
}

/** The fields of the collection changed after the entry was written, or while somebody was writing. */
function SchemaNotices({ collection, entry, edit, mustBeComplete, missingNames }: NoticeProps) {
  const { t } = useLingui()
  const show = useShownValue(entry.blocks)
  const isOlder = (entry.schemaVersion ?? 0) < collection.schemaVersion
  const { missing, orphans, lost, form } = edit
  return (
    <>
      {mustBeComplete && missing.length > 0 && (
        <Notice
          tone="wait"
          title={isOlder ? t`The collection asks for more now: ${missingNames}.` : t`${missingNames}: required.`}
        >
          {t`The entry is public, or will be, so it can only be saved with it. What you typed is kept.`}
        </Notice>
      )}
      {orphans.length > 0 && (
        <Notice tone="wait" title={t`Values without a field`}>
          {t`The collection no longer has these. They go when you save; versions keep them.`}
          <span className="block">
            {orphans.map(({ id, label, value }) => `${label || id}: ${show(value, id)}`).join('; ')}
          </span>
        </Notice>
      )}
      {lost.length > 0 && (
        <Notice tone="alert" title={t`A field that you changed is gone from the collection.`}>
          {t`It cannot be saved any more. Copy what you need:`}
          <span className="block">
            {lost.map((field) => `${partsOf(field).blockId}: ${String(form[field])}`).join('; ')}
          </span>
        </Notice>
      )}
    </>
  )
}
