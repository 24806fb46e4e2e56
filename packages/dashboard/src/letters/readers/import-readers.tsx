import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { UnknownColumns } from '../../ui/unknown-columns.tsx'
import { importErrorsQuery, useReaderImport } from '../queries.ts'
import type { Newsletter, ReaderImport } from '../types.ts'

const route = getRouteApi('/signed-in/$business/letters/readers/$newsletter')

const MAX_BYTES = 100 * 1024 * 1024
const UPLOAD_MS = 180_000

/** A file of readers in, how far it is, and which of its lines were wrong. */
export function ImportReaders({ of: newsletter }: { of: Newsletter }) {
  const { t } = useLingui()
  const navigate = route.useNavigate()
  const { import: importId } = route.useSearch()
  const close = () => void navigate({ search: (before) => ({ ...before, do: undefined, import: undefined }) })
  return (
    <section className="page task" aria-label={t`Import readers`}>
      {importId ? <Report id={newsletter.id} importId={importId} /> : <Upload id={newsletter.id} />}
      <div className="acts">
        {importId && (
          <Button
            onClick={() => void navigate({ search: (before) => ({ ...before, do: 'import', import: undefined }) })}
          >
            {t`Another file`}
          </Button>
        )}
        <Button look="quiet" onClick={close}>{t`Done`}</Button>
      </div>
    </section>
  )
}

function Upload({ id }: { id: string }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const navigate = route.useNavigate()
  const { reason } = usePermissions()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const why = reason('NEWSLETTER_SEND') ?? (isSending ? t`Uploading…` : undefined)
  const take = async (file: File | undefined) => {
    if (!file || why) return
    setSending(true)
    setError(undefined)
    try {
      if (file.size > MAX_BYTES) throw new Error(t`The file is larger than 100 MB.`)
      const isLines = /\.(ndjson|jsonl)$/i.test(file.name)
      const body = new Blob([file], { type: isLines ? 'application/x-ndjson' : 'text/csv' })
      const asked = { path: { businessId, id }, body }
      const made = await kontor.operations.importSubscribers(asked, { timeoutMs: UPLOAD_MS })
      void navigate({ search: (before) => ({ ...before, do: undefined, import: made.id }) })
    } catch (cause) {
      setError(cause)
      setSending(false)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button beside it does the same */}
      <div
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon of={FileUp} />
        <p>
          <b className="strong">{t`Drop a file of readers here`}</b>{' '}
          <span className="soft">{t`CSV with the columns email, name, planId and status, or NDJSON, up to 100 MB. Nobody is asked to confirm: have their consent.`}</span>
        </p>
        <Button look="main" reason={why} onClick={() => input.current?.click()}>{t`Choose a file`}</Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t`File of readers`}
          accept=".csv,.ndjson,.jsonl,.txt,text/csv,application/x-ndjson"
          onChange={(event) => {
            void take(event.target.files?.[0])
            event.target.value = ''
          }}
        />
      </div>
      <p className="note">{t`Whoever has left stays away, who pays is left alone: the same file can be sent again.`}</p>
      {error !== undefined && <Problem error={error} kept={t`Nobody was imported.`} />}
    </>
  )
}

function Report({ id, importId }: { id: string; importId: string }) {
  const { id: businessId } = useBusiness()
  const { may, reason } = usePermissions()
  const found = useReaderImport(businessId, id, importId, may('NEWSLETTER_SEND'))
  const status = found.data?.status
  useEffect(() => {
    if (status === 'DONE')
      void invalidate(businessId, ['listSubscribers', 'countSubscribers', 'listSubscriberImportErrors'])
  }, [status, businessId])
  if (!may('NEWSLETTER_SEND')) return <p className="note">{reason('NEWSLETTER_SEND')}</p>
  if (found.isError) return <Problem error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data) return <span className="bone" />
  return (
    <>
      <Progress of={found.data} />
      <UnknownColumns columns={found.data.unknownColumns} isDone={status === 'DONE'} />
      {found.data.failed > 0 && may('SUBSCRIBERS_READ') && <WrongLines id={id} of={found.data} />}
    </>
  )
}

function Progress({ of: one }: { of: ReaderImport }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { total, created, updated, skipped, failed, status } = one
  const at = one.done + failed
  const isOver = status === 'DONE'
  const parts: [name: string, count: number, note: string][] = [
    [t`New`, created, t`get the next letter`],
    [t`Known`, updated, t`were there already`],
    [t`Left alone`, skipped, t`have left, or pay`],
    [t`Wrong`, failed, t`were not imported`],
  ]
  const isWhole = isOver && created + updated + skipped + failed === total
  return (
    <div className="progress" role="status">
      <p>
        <b className="strong">{isOver ? t`Imported` : t`Being imported`}</b>{' '}
        <Trans>
          {number(at)} of {number(total)} lines
        </Trans>
      </p>
      {!isOver && (
        <div
          className="meter"
          role="progressbar"
          aria-label={t`Being imported`}
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={at}
        >
          <i style={{ width: `${total === 0 ? 0 : (at / total) * 100}%` }} />
        </div>
      )}
      <dl className="figures tally">
        {parts.map(([name, count, note]) => (
          <div className="figure" key={name}>
            <dt>{name}</dt>
            <dd className="value">{number(count)}</dd>
            <dd className="delta">{note}</dd>
          </div>
        ))}
        <div className="figure">
          <dt>{t`Together`}</dt>
          <dd className="value">{number(total)}</dd>
          <dd className="delta">{isWhole && <span className="good-text">{t`adds up`}</span>}</dd>
        </div>
      </dl>
    </div>
  )
}

function WrongLines({ id, of: one }: { id: string; of: ReaderImport }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const list = useInfiniteQuery(importErrorsQuery(businessId, id, one.id))
  const lines = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <h2>
        <Plural value={one.failed} one="# line is wrong" other="# lines are wrong" />
      </h2>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <ul className="wrong-lines">
        {lines.map(({ number, line, details }) => (
          <li key={number}>
            <span className="soft">
              <Trans>Line {number}</Trans>
            </span>
            <code className="break">{line}</code>
            <span className="alert-text">{details.map(({ message }) => message).join(' ')}</span>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          look="small"
          reason={list.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void list.fetchNextPage()}
        >{t`Show more`}</Button>
      )}
    </>
  )
}
