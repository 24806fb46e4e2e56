import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useId } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Problem } from '../../ui/problem.tsx'
import { newsletterQuery } from '../queries.ts'
import type { Newsletter } from '../types.ts'
import { ConditionRow, useFieldNames } from './condition-row.tsx'
import { type Condition, type ConditionField, MAX_CONDITIONS, type Segment } from './segment.ts'
import type { useMatching } from './use-matching.ts'

type Props = {
  newsletterId: string
  value: Segment
  onChange: (segment: Segment) => void
  matching: ReturnType<typeof useMatching>
}

/** Who gets it: everybody, or those who fit conditions, with how many that are. */
export function Who({ newsletterId, value, onChange, matching }: Props) {
  const { t } = useLingui()
  const group = useId()
  const { id: businessId } = useBusiness()
  const { data: newsletter } = useQuery(newsletterQuery(businessId, newsletterId))
  const { isSome, conditions } = value
  const set = (next: Condition[]) => onChange({ ...value, conditions: next })
  return (
    <div className="who">
      <div className="ways" role="radiogroup" aria-label={t`Who gets it`}>
        <label className="choice">
          <input
            type="radio"
            className="check radio"
            name={group}
            checked={!isSome}
            onChange={() => onChange({ ...value, isSome: false })}
          />
          {t`All readers`}
        </label>
        <label className="choice">
          <input
            type="radio"
            className="check radio"
            name={group}
            checked={isSome}
            onChange={() => onChange({ ...value, isSome: true })}
          />
          {t`Those who fit`}
        </label>
      </div>
      {isSome && (
        <div className="fitting">
          {conditions.length > 0 && (
            <ul className="conditions">
              {conditions.map((condition, index) => (
                <ConditionRow
                  // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and are only taken out or added at the end
                  key={index}
                  of={condition}
                  newsletter={newsletter}
                  onChange={(next) => set(conditions.with(index, next))}
                  onRemove={() => set(conditions.toSpliced(index, 1))}
                />
              ))}
            </ul>
          )}
          <div className="fitting-foot">
            <AddCondition
              newsletter={newsletter}
              isFull={conditions.length >= MAX_CONDITIONS}
              onAdd={(field) => set([...conditions, { field }])}
            />
            <Count of={matching} hasAny={conditions.length > 0} />
          </div>
          {matching.error && <Problem error={matching.error} />}
        </div>
      )}
    </div>
  )
}

/** How many fit, beside how many there are. */
function Count({ of: { found, isAsking }, hasAny }: { of: Props['matching']; hasAny: boolean }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { reason } = usePermissions()
  const lacks = reason('SUBSCRIBERS_READ')
  if (lacks) return <span className="note">{t`How many fit is not shown to you.`}</span>
  const [matching, total] = [number(found?.matching ?? 0), number(found?.total ?? 0)]
  return (
    <span className={isAsking ? 'matching asking' : 'matching'} role="status">
      {!hasAny
        ? t`All conditions have to hold.`
        : found && (
            <Trans>
              <span className="strong">{matching}</span> of {total} readers
            </Trans>
          )}
    </span>
  )
}

type AddProps = { newsletter: Newsletter | undefined; isFull: boolean; onAdd: (field: ConditionField) => void }

function AddCondition({ newsletter, isFull, onAdd }: AddProps) {
  const { t } = useLingui()
  const names = useFieldNames()
  const { markets } = useBusiness()
  const { reason } = usePermissions()
  const full = isFull ? t`ten at most` : undefined
  const reasons: Partial<Record<ConditionField, string | undefined>> = {
    bought: reason('ORDERS_READ'),
    tag: reason('ORDERS_READ'),
    plan: newsletter && (newsletter.plans ?? []).length === 0 ? t`there are none` : undefined,
    market: markets.length === 0 ? t`there are none` : undefined,
    clicked: newsletter && !newsletter.countClicks ? t`not counted here` : undefined,
  }
  return (
    <Menu
      trigger={
        <button type="button" className="chip add">
          <Icon of={Plus} />
          {t`Condition`}
        </button>
      }
    >
      {FIELDS.map((field) => (
        <MenuItem key={field} reason={full ?? reasons[field]} onClick={() => onAdd(field)}>
          {names[field]}
        </MenuItem>
      ))}
    </Menu>
  )
}

const FIELDS = ['bought', 'tag', 'market', 'plan', 'clicked', 'subscribed'] as const
