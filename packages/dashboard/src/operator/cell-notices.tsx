import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOwnFormat } from '../profile/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import type { AskedCell, Overview } from './types.ts'
import { hasNoWorker, needsSomebody, spanIn } from './words.tsx'

/** A lag of minutes is no busy moment any more. */
const LATE_SECONDS = 300

/** What of the whole service needs somebody now. */
export function ServiceNotices({ overview }: { overview: Overview }) {
  const { t } = useLingui()
  const { locale } = useOwnFormat()
  const { cells, unknownCells } = overview
  return (
    <>
      {cells.filter(needsSomebody).map(({ name, problem, businesses }) => (
        <Notice
          key={name}
          tone="alert"
          title={t`Cell ${name} does not answer.`}
          action={
            <Link
              to="/operator"
              search={{ cell: name, show: 'all' }}
              className="button small"
              data-stop
            >{t`Which?`}</Link>
          }
        >
          {problem} <Plural value={businesses} one="# business lives there." other="# businesses live there." />{' '}
          {t`All others go on.`}
        </Notice>
      ))}
      {cells
        .filter(({ placement, businesses }) => placement === 'OFF' && businesses > 0)
        .map(({ name, businesses }) => (
          <Notice key={`off ${name}`} title={t`Cell ${name} is switched off.`}>
            <Plural
              value={businesses}
              one="# business lives there, and is not served."
              other="# businesses live there, and are not served."
            />
          </Notice>
        ))}
      {unknownCells.map((name) => (
        <Notice key={name} tone="alert" title={t`Businesses live in cell ${name}, which nobody serves.`}>
          {t`The process that answered does not know where it is.`}
        </Notice>
      ))}
      {hasNoWorker(overview) && (
        <Notice tone="alert" title={t`No worker runs.`}>
          {t`No mail is sent, and nothing planned happens, until one is started.`}
        </Notice>
      )}
      {cells.map(({ name, jobLagSeconds }) => {
        if (jobLagSeconds === null || jobLagSeconds < LATE_SECONDS) return null
        const span = spanIn(locale, jobLagSeconds)
        return (
          <Notice key={`lag ${name}`} title={t`Jobs of cell ${name} wait for ${span}.`}>
            <Trans>Its workers do not keep up, or are gone.</Trans>
          </Notice>
        )
      })}
    </>
  )
}

/** What a list lacks because a cell has not answered. */
export function AskedCells({ cells }: { cells: readonly AskedCell[] | undefined }) {
  const { t } = useLingui()
  return cells
    ?.filter(({ isAnswering }) => !isAnswering)
    .map(({ cell, problem }) => (
      <Notice key={cell} tone="alert" title={t`Cell ${cell} does not answer.`}>
        {problem} {t`What it holds is missing here; the rest is complete.`}
      </Notice>
    ))
}
