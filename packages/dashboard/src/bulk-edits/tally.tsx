import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useFormat } from '../session/use-format.ts'
import { type BulkEdit, leftOf } from './types.ts'

type Part = { name: string; count: number; note: ReactNode; isForPerson?: boolean }

/** What becomes of the products, or became of them, and that it adds up. */
export function Tally({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const parts = usePartsOf(edit)
  const isWhole = parts.reduce((sum, { count }) => sum + count, 0) === edit.total
  const isReady = edit.status === 'READY'
  return (
    <dl className="figures tally">
      {parts.map(({ name, count, note, isForPerson = false }) => (
        <Figure key={name} name={name} value={number(count)} tone={isForPerson && count > 0 ? 'wait-text' : ''}>
          {note}
        </Figure>
      ))}
      <Figure name={t`Together`} value={number(edit.total)}>
        {isWhole && <span className="good-text">{t`adds up`}</span>}
      </Figure>
      {isReady && edit.warned > 0 && (
        <Figure name={t`Look first`} value={number(edit.warned)} tone="wait-text">
          {t`among those that change`}
        </Figure>
      )}
    </dl>
  )
}

function usePartsOf(edit: BulkEdit): Part[] {
  const { t } = useLingui()
  const { number } = useFormat()
  const { status, total, changing, unchanged, refused, applied, skipped, undone, kept } = edit
  const values = number(edit.changedValues)
  const stay: Part = { name: t`Stay as they are`, count: unchanged, note: t`they are so already` }
  const cannot: Part = { name: t`Cannot change`, count: refused, note: t`each says why`, isForPerson: true }
  if (status === 'READY' || edit.appliedAt === null)
    return [{ name: t`Will change`, count: changing, note: <Trans>{values} values</Trans> }, stay, cannot]
  const leftAlone: Part = { name: t`Left alone`, count: kept, note: t`changed by others since`, isForPerson: true }
  if (status === 'UNDONE' || status === 'UNDOING' || undone > 0)
    return [
      { name: t`Put back`, count: undone, note: t`as they were` },
      leftAlone,
      { name: t`Not undone yet`, count: applied - undone - kept, note: t`undoing goes on with them` },
      { name: t`Never changed`, count: total - applied, note: t`nothing to undo` },
    ].filter(({ name, count }) => count > 0 || name !== t`Not undone yet`)
  return [
    { name: t`Changed`, count: applied, note: <Trans>{values} values</Trans> },
    { name: t`Skipped`, count: skipped, note: t`changed by others meanwhile`, isForPerson: true },
    { name: t`Not yet`, count: leftOf(edit), note: t`applying goes on with them` },
    stay,
    cannot,
  ].filter(({ name, count }) => count > 0 || ![t`Not yet`, t`Cannot change`].includes(name))
}

const Figure = (props: { name: string; value: string; tone?: string; children: ReactNode }) => (
  <div className="figure">
    <dt>{props.name}</dt>
    <dd className={`value ${props.tone ?? ''}`}>{props.value}</dd>
    <dd className="delta">{props.children}</dd>
  </div>
)
