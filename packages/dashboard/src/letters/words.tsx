import { useLingui } from '@lingui/react/macro'
import { wallClockOf } from '../i18n/days.ts'
import { useFormat } from '../session/use-format.ts'
import { Status } from '../ui/status.tsx'
import type { Part } from './search.ts'
import { subjectOf } from './subject.ts'
import type { Letter, Send } from './types.ts'

export function useTitleOf() {
  const { t } = useLingui()
  return (letter: Pick<Letter, 'blocks' | 'locale'> | undefined) =>
    (letter && subjectOf(letter)) || t`Letter without a subject`
}

/** How far a send is, as a word with a dot. */
export function SendState({ of: { status, problem, startedAt, automationId } }: { of: Send }) {
  const { t } = useLingui()
  switch (status) {
    case 'SCHEDULED':
      return <Status fill="ring" tone="act">{t`Planned`}</Status>
    case 'RUNNING':
      if (automationId) return <Status fill="half" tone="act">{t`Goes out by itself`}</Status>
      return <Status fill="half" tone="act" live>{t`Sending`}</Status>
    case 'PAUSED':
      return <Status fill="half" tone={problem ? 'alert' : 'wait'}>{t`Paused`}</Status>
    case 'DONE':
      return <Status fill="full" tone="good">{t`Sent`}</Status>
    default:
      if (problem) return <Status fill="off" tone="alert">{t`Could not be sent`}</Status>
      return <Status fill="off">{startedAt === null ? t`Called off` : t`Stopped halfway`}</Status>
  }
}

/** What a letter is that nobody was sent. */
export function LetterState({ of: { statuses } }: { of: Letter }) {
  const { t } = useLingui()
  const status = statuses.at(-1)?.status
  if (status === 'ARCHIVED') return <Status fill="off">{t`Archived`}</Status>
  return <Status fill="ring">{status === 'PUBLISHED' ? t`Published, not sent` : t`Draft`}</Status>
}

/** The parts of a send, and what they mean. */
export function usePartWords(): Record<Part, { name: string; note: string; about: string }> {
  const { t } = useLingui()
  return {
    sent: { name: t`Sent`, note: t`taken by the mail server`, about: t`the mail server has taken it` },
    failed: { name: t`Failed`, note: t`refused for good`, about: t`the mail server refused it, and says why` },
    suppressed: {
      name: t`Suppressed`,
      note: t`left the list or bounced`,
      about: t`left, or bounced, between the start and their turn`,
    },
    uncertain: {
      name: t`Uncertain`,
      note: t`handed over, no answer`,
      about: t`nobody can know whether they have it`,
    },
    planned: { name: t`Planned`, note: t`not sent yet`, about: t`their turn has not come` },
  }
}

/** A day and a time in full, with the year if it is another one: `Thursday 5 June 2031, 07:30`. */
export function useDay() {
  const { weekday, time, timeZone } = useFormat()
  const yearOf = (at: number) => wallClockOf(at, timeZone).slice(0, 4)
  return (at: number) => {
    const year = yearOf(at)
    return `${weekday(at)}${year === yearOf(Date.now() / 1_000) ? '' : ` ${year}`}, ${time(at)}`
  }
}

/** A moment to come, with its time: `07:30`, `19 Nov, 07:30`. */
export function useMoment() {
  const { short, time } = useFormat()
  return (at: number) => {
    const [day, clock] = [short(at), time(at)]
    return day.endsWith(clock) ? day : `${day}, ${clock}`
  }
}
