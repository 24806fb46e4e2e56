import { Trans, useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Status } from '../../ui/status.tsx'
import { Stepper } from '../../ui/stepper.tsx'
import { nameOf, shelfOf } from '../level.ts'
import { signed } from '../statement/difference.ts'
import { CHOICES } from './bring-in.ts'
import { type Choice, type Count, countedAgain, differenceOf } from './count.ts'

const MOST = 1_000_000

type Props = { count: Count; isAsked: boolean; onChange: (count: Count) => void; onRemove: () => void }

/** A variant that is being counted: what it is, how many, and how far from the book. */
export function CountRow({ count, isAsked, onChange, onRemove }: Props) {
  const { t } = useLingui()
  const { level, text, counted, trouble } = count
  const name = level ? nameOf(level) : text
  return (
    <li className={trouble ? 'troubled' : undefined}>
      <div className="name">
        <p className="what">{name}</p>
        <p className="note">{level ? level.sku : t`not looked up yet`}</p>
      </div>
      {isAsked ? (
        <span className="strong num">{counted}</span>
      ) : (
        <Stepper
          name={name}
          value={counted}
          most={MOST}
          isOpenEnded
          onChange={(value) => onChange({ ...count, counted: value })}
        />
      )}
      <div className="state note">
        {isAsked ? <Status fill="unknown" tone="wait">{t`Processing…`}</Status> : <Difference count={count} />}
        {count.isReleased && !isAsked && <p>{t`Waits for the line. Change it, and it waits for you.`}</p>}
      </div>
      {!isAsked && <Button look="quiet small" icon={X} only={t`Leave out ${name}`} onClick={onRemove} />}
      {trouble && !isAsked && <Settle count={count} onChange={onChange} onRemove={onRemove} />}
    </li>
  )
}

function Difference({ count }: { count: Count }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const difference = differenceOf(count)
  const { level, fresh, choice } = count
  if (difference === undefined || !level) return t`compared when there is a line`
  if (choice === 'add') return t`added to what others counted`
  if (choice === 'none') return t`nothing left to sell`
  const shelf = shelfOf(choice === 'after' && fresh ? fresh : level) ?? 0
  if (difference === 0) return <Status fill="full" tone="good">{t`as the book says`}</Status>
  return (
    <Status fill="half" tone="wait">
      <Trans>
        {signed(difference)}: {number(shelf)} should be there
      </Trans>
    </Status>
  )
}

/** Says what happened meanwhile, and lets the person say what is true. */
function Settle({ count, onChange, onRemove }: Omit<Props, 'isAsked'>) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { trouble, level, fresh, counted, text } = count
  if (!trouble) return null
  const then = level && shelfOf(level)
  const now = fresh && shelfOf(fresh)
  const words: Record<typeof trouble, ReactNode> = {
    unknown: <Trans>No variant has the SKU “{text}”. Look at the label, and scan it again.</Trans>,
    moved: (
      <Trans>
        {number(then ?? 0)} should have been there when you began, and {number(now ?? 0)} should be there now: pieces
        were sent, came back or were added. Did you count before that, or after?
      </Trans>
    ),
    late: (
      <Trans>
        You counted this without a line, so what the book said then is not known. Now {number(now ?? 0)} should be
        there. If nothing was sent or delivered since you counted, it can be compared.
      </Trans>
    ),
    counted: (
      <Trans>
        Somebody else has counted this meanwhile, and corrected it: {number(now ?? 0)} should be there now. If they
        counted the same pieces, leave yours out. If yours lie somewhere else, add them.
      </Trans>
    ),
    below: (
      <Trans>
        More was sold meanwhile than you found: {number(fresh?.committed ?? 0)} are sold and not sent, and{' '}
        {number(counted)} lie on the shelf. Take it out of the shop, and tell whoever packs.
      </Trans>
    ),
    unsure: <Trans>The service does not know yet what is sold and not sent. Bring this one in later.</Trans>,
  }
  const labels: Record<Choice, string> = {
    before: t`I counted before`,
    after: trouble === 'late' ? t`Nothing was sent since` : t`I counted after`,
    add: t`Add my ${number(counted)}`,
    none: t`Nothing left to sell`,
  }
  return (
    <div className="settle" role="group" aria-label={t`What is true?`}>
      <p>{words[trouble]}</p>
      <div className="acts">
        {CHOICES[trouble].map((choice) => (
          <Button key={choice} look="small" onClick={() => onChange({ ...count, choice, trouble: undefined })}>
            {labels[choice]}
          </Button>
        ))}
        {trouble === 'unsure' && (
          <Button look="small" onClick={() => onChange({ ...count, trouble: undefined })}>{t`Try again`}</Button>
        )}
        {trouble !== 'unknown' && (
          <Button look="small" onClick={() => onChange(countedAgain(count))}>{t`Count again`}</Button>
        )}
        <Button look="quiet small" onClick={onRemove}>{t`Leave mine out`}</Button>
      </div>
    </div>
  )
}
