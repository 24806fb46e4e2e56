import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { RotateCw, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Moment, useOwnFormat } from '../../profile/moment.tsx'
import { Sure } from '../../profile/sure.tsx'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { businessesOf, type Group } from './groups.ts'
import { useChangeJobs, type Which } from './use-change-jobs.ts'

const ERRORS_SHOWN = 2
const BUSINESSES_SHOWN = 3

type Props = {
  group: Group
  /** What else they have in common, besides their kind. */
  among?: Omit<Which, 'name'>
  /** Beside the buttons that everybody needs. */
  children?: ReactNode
}

/** Dead jobs of one kind: whose, since when, with what error, and what can be done about all of them. */
export function DeadGroup({ group, among = {}, children }: Props) {
  const { t } = useLingui()
  const { number } = useOwnFormat()
  const change = useChangeJobs()
  const [isDiscarding, setDiscarding] = useState(false)
  const { name, dead, jobs, errors, since, last } = group
  const which = { ...among, name }
  const count = number(dead)
  const isWhole = jobs.length >= dead
  const others = errors.length - ERRORS_SHOWN
  useCommands([
    {
      id: `retry ${name}`,
      label: dead === 1 ? t`Run again: ${name}` : t`Run all ${count} again: ${name}`,
      icon: RotateCw,
      reason: change.reason,
      run: () => void change.retryAll(which),
    },
  ])
  return (
    <article className="op-job">
      <header>
        <h3 className="strong">{name}</h3>
        <span className="badge">
          <Plural value={dead} one="# job" other="# jobs" />
        </span>
        {since !== undefined && last !== undefined && (
          <span className="note">
            {isWhole ? (
              <Trans>
                since <Moment at={since} />
              </Trans>
            ) : (
              <Trans>
                last <Moment at={last} />
              </Trans>
            )}
          </span>
        )}
      </header>
      <Whose group={group} />
      {errors.slice(0, ERRORS_SHOWN).map(({ error, count: alike }) => (
        <p key={error} className="op-error">
          {errors.length > 1 && <span className="soft">{alike} × </span>}
          {error ?? t`It left no error.`}
        </p>
      ))}
      {others > 0 && (
        <p className="note">
          <Plural value={others} one="and # other error" other="and # other errors" />
        </p>
      )}
      <div className="op-acts">
        <Button
          look="main"
          icon={RotateCw}
          data-stop
          reason={change.reason}
          onClick={() => void change.retryAll(which)}
        >
          {dead === 1 ? t`Run again` : t`Run all ${count} again`}
        </Button>
        {children}
        <Button look="quiet" icon={Trash2} reason={change.reason} onClick={() => setDiscarding(true)}>
          {dead === 1 ? t`Discard` : t`Discard all`}
        </Button>
      </div>
      {isDiscarding && (
        <Sure
          title={dead === 1 ? t`Discard this job of ${name}?` : t`Discard ${count} jobs of ${name}?`}
          verb={t`Discard`}
          act={() => change.discardAll(which)}
          onClose={() => setDiscarding(false)}
        >
          <Trans>
            What they were to do is never done, and they cannot be brought back. If the cause is gone, run them again
            instead.
          </Trans>
        </Sure>
      )}
    </article>
  )
}

function Whose({ group: { jobs } }: { group: Group }) {
  const { t } = useLingui()
  if (jobs.length === 0) return null
  const all = businessesOf(jobs)
  const rest = all.length - BUSINESSES_SHOWN
  if (all.length === 0) return <p className="soft">{t`Of the service itself`}</p>
  return (
    <p className="soft">
      {all.slice(0, BUSINESSES_SHOWN).map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <Link to="/operator/businesses/$id" params={{ id }} className="link">
            {name}
          </Link>
        </span>
      ))}
      {rest > 0 && (
        <>
          {' '}
          <Plural value={rest} one="and # more" other="and # more" />
        </>
      )}
    </p>
  )
}
