import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Archive, Download } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { Moment, useOwnFormat } from '../../profile/moment.tsx'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { exportsQuery, isUnderWay } from '../queries.ts'
import type { BusinessDetail, Export } from '../types.ts'
import { useAsking } from '../use-asking.ts'
import { bytesIn, Tick } from '../words.tsx'

/** All that it has, as one file: for its people, for another deployment, or before it is deleted. */
export function Exports({ of: business }: { of: BusinessDetail }) {
  const { t } = useLingui()
  const { id, state } = business
  const { data, error, refetch } = useQuery(exportsQuery(id))
  const [withFiles, setWithFiles] = useState(false)
  const { ask, error: problem, waiting } = useAsking()
  const start = () => ask(() => kontor.operations.startOperatorExport({ path: { id }, body: { withFiles } }))
  const fetchIt = (exportId: string) =>
    ask(async () => {
      const { url } = await kontor.operations.linkOperatorExport({ path: { id, exportId } })
      globalThis.location.assign(url) // an attachment: the page stays
    })
  const items = data?.items ?? []
  const refused = items.some(isUnderWay)
    ? t`Creating an export…`
    : state === 'IMPORTING'
      ? t`It is not whole yet.`
      : undefined
  const reason = waiting ?? refused
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Archives`}</h2>
        <span className="note">{t`All that it has, as one file, without secrets. Kept for three days.`}</span>
      </div>
      {problem !== undefined && <Problem error={problem} />}
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        data && (
          <>
            {items.length > 0 && (
              <ul className="op-exports">
                {items.map((one) => (
                  <ExportRow key={one.id} of={one} about={business.size.rows} onFetch={() => void fetchIt(one.id)} />
                ))}
              </ul>
            )}
            {data.isPossible ? (
              <div className="op-acts">
                <Button icon={Archive} reason={reason} onClick={() => void start()}>{t`Make an archive`}</Button>
                <label className="op-understood">
                  <input type="checkbox" checked={withFiles} onChange={() => setWithFiles(!withFiles)} />
                  <span>{t`with its files`}</span>
                </label>
              </div>
            ) : (
              <p className="soft">
                <Trans>
                  There is no storage of files to put one into. The command line writes it to a file of its own.
                </Trans>
              </p>
            )}
          </>
        )
      )}
    </section>
  )
}

/** Not a hundred before it is ready: the number of records is an estimate. */
const MOST_PERCENT = 0.99

function ExportRow({ of: one, about, onFetch }: { of: Export; about: number; onFetch: () => void }) {
  const { t } = useLingui()
  const { number, percent, locale } = useOwnFormat()
  const { status, rows, size, withFiles, createdAt, expiresAt } = one
  const done = about > 0 ? Math.min(MOST_PERCENT, rows / about) : undefined
  const count = number(rows)
  const bytes = bytesIn(locale, size ?? 0)
  const share = percent(done ?? 0)
  const said =
    status === 'READY'
      ? withFiles
        ? t`${bytes}, ${count} records, with files`
        : t`${bytes}, ${count} records`
      : status === 'FAILED'
        ? t`It could not be made: the log of the workers says why.`
        : status === 'PENDING'
          ? t`Waits for a worker`
          : done === undefined
            ? t`${count} records so far`
            : t`${count} records so far, about ${share}`
  return (
    <li>
      <Tick look={status === 'READY' ? 'good' : status === 'FAILED' ? 'bad' : 'off'} words="" />
      <div>
        <span className={status === 'FAILED' ? 'alert-text' : undefined}>{said}</span>
        {isUnderWay(one) && <progress value={done} aria-label={said} />}
        <span className="note block">
          {status === 'READY' ? (
            <Trans>
              Of <Moment at={createdAt} />, until <Moment at={expiresAt} />
            </Trans>
          ) : (
            <Trans>
              Asked for <Moment at={createdAt} />
            </Trans>
          )}
        </span>
      </div>
      {status === 'READY' && <Button look="small" icon={Download} onClick={onFetch}>{t`Fetch`}</Button>}
    </li>
  )
}
