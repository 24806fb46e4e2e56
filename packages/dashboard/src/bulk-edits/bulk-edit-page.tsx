import './bulk-edits.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { invalidate } from '../api/query.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ActBar } from './act-bar.tsx'
import { ChangesTable } from './changes-table.tsx'
import { Crumbs } from './crumbs.tsx'
import { bulkEditQuery, useRows } from './queries.ts'
import { ShownTabs } from './shown-tabs.tsx'
import { EditState } from './state.tsx'
import { Tally } from './tally.tsx'
import { type BulkEdit, isRunning } from './types.ts'
import { useSelected, useWords } from './words.tsx'

const route = getRouteApi('/signed-in/$business/bulk-edits/$edit')

/** One bulk edit: its dry run, how far it is, what became of each product. */
export function BulkEditPage() {
  const { t } = useLingui()
  const { id } = useBusiness()
  const { edit } = route.useParams()
  const found = useQuery(bulkEditQuery(id, edit))
  usePageTitle(t`Bulk edit`)
  if (found.data) return <Shown key={found.data.id} edit={found.data} />
  if (found.isError)
    return (
      <div className="page pt-6">
        <h1>{t`Bulk edit`}</h1>
        <Problem error={found.error} onRetry={() => void found.refetch()} />
      </div>
    )
  return (
    <div className="bulk-edit">
      <header className="head">
        <Crumbs />
        <h1>{t`Bulk edit`}</h1>
      </header>
      <Bones rows={14} columns={6} />
    </div>
  )
}

function Shown({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { titleOf } = useWords()
  const selectedOf = useSelected()
  const { status } = edit
  // What the items are is known anew once the work is over.
  const before = useRef(status)
  useEffect(() => {
    if (before.current !== status) void invalidate(business.id, ['listBulkEditItems', 'listBulkEdits'])
    before.current = status
  }, [status, business.id])
  const isTried = status === 'DRY_RUN'
  return (
    <div className="bulk-edit">
      <header className="head">
        <Crumbs />
        <h1>{titleOf(edit)}</h1>
        <p className="facts-line">
          <EditState edit={edit} />
          <span className="soft">{selectedOf(edit.filters)}</span>
        </p>
        <div className="acts">
          <Link to="/$business/bulk-edits" params={{ business: addressOf(business) }} className="button">
            {t`Earlier edits`}
          </Link>
        </div>
      </header>
      {isRunning(edit) && <Progress edit={edit} />}
      {status === 'FAILED' && <Failure edit={edit} />}
      {!isTried && <Tally edit={edit} />}
      {!isTried && <ShownTabs edit={edit} />}
      {!isTried && <Changes edit={edit} />}
      <ActBar edit={edit} />
    </div>
  )
}

function Progress({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const [done, total] = [number(edit.done), number(edit.total)]
  const words = { DRY_RUN: t`Trying`, APPLYING: t`Applying`, UNDOING: t`Undoing` }[edit.status as string] ?? ''
  const share = edit.total === 0 ? 0 : edit.done / edit.total
  return (
    <div className="page progress" role="status">
      <p>
        <b className="strong">{words}</b>{' '}
        {edit.total === 0 ? (
          t`Looking for the products`
        ) : (
          <Trans>
            {done} of {total} products
          </Trans>
        )}
      </p>
      <div
        className="meter"
        role="progressbar"
        aria-label={words}
        aria-valuemin={0}
        aria-valuemax={edit.total}
        aria-valuenow={edit.done}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}

function Failure({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  return (
    <div className="page">
      {edit.failure === 'TOO_MANY' ? (
        <Notice
          tone="alert"
          title={t`These are too many products for one bulk edit.`}
        >{t`Nothing was changed. Narrow the list down to 100,000 products, or 20,000 found by words.`}</Notice>
      ) : (
        <Notice
          tone="alert"
          title={t`The service could not finish this.`}
        >{t`What it has done so far is kept and listed. Go on, or undo it.`}</Notice>
      )}
    </div>
  )
}

function Changes({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const { id } = useBusiness()
  const { show } = route.useSearch()
  const { rows, more, hasMore, isPending, error, refetch } = useRows(id, edit, show)
  if (isPending) return <Bones rows={14} columns={6} />
  if (error)
    return (
      <div className="page">
        <Problem error={error} onRetry={() => void refetch()} />
      </div>
    )
  if (rows.length === 0) return <p className="page soft pt-4">{t`Nothing of this kind.`}</p>
  return (
    <>
      <ChangesTable rows={rows} total={rows.length} onEnd={more} />
      {hasMore && <p className="page note pt-3">{t`The rest comes as you scroll.`}</p>}
    </>
  )
}
