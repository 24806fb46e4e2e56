import type { Body } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Archive, CalendarClock, ChevronDown, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { secondsAt, wallClockOf } from '../../i18n/days.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { type Collection, type Entry, statusOf } from '../queries.ts'

type Further = Pick<Body<'updateEntry'>, 'statuses' | 'publishAt'>
type Props = {
  collection: Collection
  entry: Entry
  hasChanges: boolean
  isSaving: boolean
  lacks: string | undefined
  /** Why it cannot become public now. */
  reason: string | undefined
  isPlanning: boolean
  onPlan: (isOpen: boolean) => void
  onSave: (further: Further, done: string) => Promise<boolean>
}

const HOUR = 3_600

/** Publishing, now or at a time, and taking it back. What was typed is saved with it. */
export function PublishActs(props: Props) {
  const { collection, entry, hasChanges, isSaving, lacks, isPlanning, onPlan, onSave } = props
  const { t } = useLingui()
  const format = useFormat()
  const status = statusOf(entry)
  const isPlanned = entry.publishAt !== undefined
  const waits = isSaving ? t`Saving…` : undefined
  const reason = waits ?? props.reason
  const set = (next: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED', done: string) =>
    void onSave({ statuses: [{ status: next }] }, done)
  const isHidden = statusOf(collection) !== 'PUBLISHED'
  const published = isHidden
    ? t`Published. Readers see it once the collection is published, too.`
    : t`Published: readers see it.`
  return (
    <>
      {status !== 'PUBLISHED' && (
        <Button look="main" {...{ reason }} onClick={() => set('PUBLISHED', published)}>
          {hasChanges ? t`Save and publish` : t`Publish`}
        </Button>
      )}
      <Menu align="end" trigger={<Button icon={ChevronDown} only={t`More to do with it`} reason={lacks ?? waits} />}>
        {status !== 'PUBLISHED' && (
          <MenuItem icon={CalendarClock} reason={reason} onClick={() => onPlan(true)}>
            {isPlanned ? t`Another time …` : t`Publish at a time …`}
          </MenuItem>
        )}
        {isPlanned && (
          <MenuItem
            icon={Undo2}
            reason={lacks}
            onClick={() => void onSave({ publishAt: null }, t`Scheduled publishing canceled`)}
          >
            {t`Do not publish it by itself`}
          </MenuItem>
        )}
        {status !== 'DRAFT' && (
          <MenuItem
            icon={Undo2}
            reason={lacks}
            onClick={() => set('DRAFT', t`Unpublished. The entry is a draft again.`)}
          >
            {t`Back to draft`}
          </MenuItem>
        )}
        {status !== 'ARCHIVED' && (
          <MenuItem
            icon={Archive}
            reason={lacks}
            onClick={() => set('ARCHIVED', t`It is archived: readers do not see it.`)}
          >
            {t`Archive`}
          </MenuItem>
        )}
      </Menu>
      {isPlanning && (
        <PlanDialog
          {...{ entry, reason }}
          onClose={() => onPlan(false)}
          onPlan={async (publishAt) => {
            const further =
              status === 'ARCHIVED' ? { statuses: [{ status: 'DRAFT' as const }], publishAt } : { publishAt }
            if (await onSave(further, t`It will be published on ${format.full(publishAt)}.`)) onPlan(false)
          }}
        />
      )}
    </>
  )
}

type PlanProps = {
  entry: Entry
  reason: string | undefined
  onClose: () => void
  onPlan: (publishAt: number) => Promise<void>
}

function PlanDialog({ entry, reason, onClose, onPlan }: PlanProps) {
  const { t } = useLingui()
  const { timeZone } = useBusiness()
  const format = useFormat()
  const nowSeconds = Math.floor(Date.now() / 1_000)
  const [at, setAt] = useState(() =>
    wallClockOf(entry.publishAt ?? Math.ceil((nowSeconds + HOUR) / HOUR) * HOUR, timeZone),
  )
  const seconds = at === '' ? undefined : secondsAt(at, timeZone)
  const isPast = seconds !== undefined && seconds <= nowSeconds
  const why = reason ?? (seconds === undefined ? t`Choose a time.` : isPast ? t`That time is over.` : undefined)
  return (
    <Dialog open onClose={onClose} title={t`Publish at a time`}>
      <Field
        label={t`When`}
        type="datetime-local"
        value={at}
        hint={t`At the clock of ${timeZone}`}
        problem={isPast ? t`That time is over.` : undefined}
        onChange={({ target }) => setAt(target.value)}
      />
      {seconds !== undefined && !isPast && <p className="soft">{format.full(seconds)}</p>}
      <p className="note">{t`It must be complete now, and must still fit the collection then.`}</p>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Not now`}</Button>
        <Button look="main" reason={why} onClick={() => seconds !== undefined && void onPlan(seconds)}>
          {t`Plan it`}
        </Button>
      </div>
    </Dialog>
  )
}
