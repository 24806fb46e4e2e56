import { Trans, useLingui } from '@lingui/react/macro'
import { usePermissions } from '../../session/permissions.ts'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import type { Attempt, Endpoint } from './queries.ts'
import { EVERYTHING, TOPICS, type Topic, topicOf, wholeOf } from './topics.ts'

/** An address as people tell them apart: without what all have. */
export const nameOf = ({ url }: { url: string }) => url.replace(/^https?:\/\//, '').replace(/\/$/, '')

/** How it fares, as a word with a dot. */
export function EndpointState({ of: { status, disabledReason, failingSince } }: { of: Endpoint }) {
  const { t } = useLingui()
  if (status === 'FAILING')
    return (
      <Status fill="half" tone="alert">
        <span>
          {failingSince === null ? (
            t`Failing`
          ) : (
            <Trans>
              Failing since <When at={failingSince} />
            </Trans>
          )}
        </span>
      </Status>
    )
  if (status === 'ACTIVE') return <Status tone="good">{t`Healthy`}</Status>
  if (disabledReason === 'GONE') return <Status fill="off" tone="alert">{t`Off: it answered 410, gone`}</Status>
  if (disabledReason === 'FAILING') return <Status fill="off" tone="alert">{t`Off: it failed for five days`}</Status>
  return <Status fill="off">{t`Switched off`}</Status>
}

/** What it listens to, in one line: whole topics by their names, single kinds as they are said. */
export function useListensTo() {
  const { t, i18n } = useLingui()
  const words = (topic: Topic, types: readonly string[]) => {
    const name = i18n._(topic.name)
    if (types.includes(wholeOf(topic))) return [name]
    const count = types.filter((type) => topicOf(type) === topic).length
    const all = Object.keys(topic.types).length
    return count === 0 ? [] : [t`${name} (${count} of ${all})`]
  }
  return (types: readonly string[]): string =>
    types.includes(EVERYTHING)
      ? t`Everything`
      : [
          ...TOPICS.flatMap((topic) => words(topic, types)),
          ...types.filter((type) => topicOf(type) === undefined),
        ].join(', ') || t`Nothing`
}

/** What has happened, as one says it. Of a later version: better the code than nothing. */
export function useTypeWords() {
  const { i18n } = useLingui()
  return (type: string): string => {
    const words = topicOf(type)?.types[type.slice(type.indexOf('.') + 1)]
    return words ? i18n._(words) : type
  }
}

/** Why something cannot be done with an endpoint that is told more than one may read. */
export function useLacks() {
  const { t, i18n } = useLingui()
  const { may, mayAny, reason } = usePermissions()
  const lacksTopic = (topic: Topic) =>
    mayAny('ADMIN', ...topic.readers) ? undefined : reason(topic.readers[0] ?? 'ADMIN')
  return {
    ofTopic: lacksTopic,
    ofEverything: reason('ADMIN'),
    ofEndpoint: ({ types }: Pick<Endpoint, 'types'>): string | undefined => {
      if (may('ADMIN')) return undefined
      if (types.includes(EVERYTHING)) return t`It is told everything; only an admin may change it.`
      const hidden = types.map(topicOf).find((topic) => topic && lacksTopic(topic) !== undefined)
      if (!hidden) return undefined
      const name = i18n._(hidden.name)
      return t`It is told of what you may not read (${name}), so you may not send it elsewhere.`
    },
  }
}

/** What became of an attempt. */
export function useAttemptWords() {
  const { t } = useLingui()
  return ({ status, problem }: Attempt): string => {
    if (problem === null) return t`Delivered`
    const words = {
      REFUSED: t`Refused`,
      REDIRECTED: t`Sent us elsewhere; redirects are not followed`,
      TIMED_OUT: t`No answer in time`,
      UNREACHABLE: t`Could not be reached`,
      ADDRESS_NOT_ALLOWED: t`The address leads into a private network`,
    }
    return words[problem] ?? (status === null ? t`No answer` : t`Refused`)
  }
}
