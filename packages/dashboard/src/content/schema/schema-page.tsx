import '../content.css'
import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronRight, Trash2 } from 'lucide-react'
import { useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { type Collection, collectionQuery } from '../queries.ts'
import { ContentState, useTypeNames } from '../words.tsx'
import { BlocksList } from './blocks-list.tsx'
import { CollectionStatus } from './collection-status.tsx'
import { DeleteCollection } from './delete-collection.tsx'
import { Impact } from './impact.tsx'
import { useImpact } from './use-impact.ts'
import { useSchema } from './use-schema.ts'

const route = getRouteApi('/signed-in/$business/content/$collection/schema')

/** A collection itself: its name and address, and the fields of its entries. */
export function SchemaPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason } = usePermissions()
  const { collection: id } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: collection, error, refetch } = useQuery(collectionQuery(business.id, id))
  const isAsked = useAsked(id).length > 0
  const lacks = reason('CONTENT_WRITE')
  const name = collection?.name ?? t`Collection`
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen })
  usePageTitle(t`Fields of ${name}`)
  useCommands([
    {
      id: 'delete-collection',
      label: t`Delete this collection`,
      icon: Trash2,
      reason: lacks,
      run: () => showDelete(true),
    },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/content" params={(now) => now} search={{}}>{t`Content`}</route.Link>
          <Icon of={ChevronRight} />
          <route.Link to="/$business/content/$collection" params={(now) => now} search={{}}>
            {name}
          </route.Link>
        </nav>
        <h1>{t`Fields of ${name}`}</h1>
        <div className="facts-line soft">
          {isAsked ? (
            <Status fill="unknown" tone="wait">{t`Processing…`}</Status>
          ) : (
            collection && <ContentState of={collection} />
          )}
        </div>
        <div className="acts tight">
          {collection && <CollectionStatus collection={collection} lacks={lacks} />}
          <Button look="destroy" icon={Trash2} reason={lacks} onClick={() => showDelete(true)}>{t`Delete`}</Button>
        </div>
      </header>
      {collection ? (
        <Editor key={id} collection={collection} lacks={lacks} />
      ) : error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={8} columns={3} />
      )}
      {collection && search.do === 'delete' && (
        <DeleteCollection
          collection={collection}
          onClose={() => showDelete(false)}
          onDeleted={() => void navigate({ to: '/$business/content', params: (now) => now, search: {} })}
        />
      )}
    </>
  )
}

function Editor({ collection, lacks }: { collection: Collection; lacks: string | undefined }) {
  const { t } = useLingui()
  const types = useTypeNames()
  const schema = useSchema(collection)
  const { base, form, blocks, changed, changes, changesBlocks, isWrong, isSaving, change, save, discard } = schema
  const guard = useLeaveGuard(changes.length > 0)
  const impact = useImpact(collection, blocks, changesBlocks && !isWrong && lacks === undefined)
  const text = (field: 'name' | 'slug' | 'description') => ({
    value: form[field],
    edited: form[field] !== base[field],
    problem: schema.refusalOf(field),
    disabled: lacks !== undefined,
    onChange: ({ target }: { target: { value: string } }) => change({ ...form, [field]: target.value }),
  })
  return (
    <>
      <div className="record">
        <div className="work">
          <section className="section collection-texts">
            <Field label={t`Name`} maxLength={200} autoComplete="off" {...text('name')} />
            <Field
              label={t`Address`}
              maxLength={100}
              spellCheck={false}
              autoComplete="off"
              hint={t`Shops ask for the collection by it.`}
              {...text('slug')}
            />
            <TextField label={t`Description`} maxLength={10_000} rows={2} {...text('description')} />
          </section>
          <BlocksList {...{ base, form, changed, lacks }} refusalOf={schema.refusalOf} onChange={change} />
        </div>
        <aside className="facts" aria-label={t`Facts`}>
          <Impact {...{ collection, impact, isWrong, changesBlocks }} />
          <section>
            <dl className="pairs">
              <dt>{t`Kind`}</dt>
              <dd>{types[collection.type]}</dd>
              <dt>{t`Fields changed`}</dt>
              <dd>
                <Plural value={collection.schemaVersion - 1} _0="never" one="once" other="# times" />
              </dd>
              <dt>{t`Created`}</dt>
              <dd>
                <When at={collection.createdAt} />
              </dd>
              <dt>{t`Changed`}</dt>
              <dd>
                <When at={collection.updatedAt} />
              </dd>
            </dl>
          </section>
        </aside>
      </div>
      <SaveBar
        changes={changes}
        warning={impact.warning}
        isSaving={isSaving}
        reason={lacks ?? (isWrong ? t`Fix the errors in the form.` : undefined)}
        onSave={() => void save()}
        onDiscard={discard}
      />
      <LeaveDialog guard={guard} />
      {schema.sheet}
    </>
  )
}
