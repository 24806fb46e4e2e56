import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { EditorLink } from '../editor-link.tsx'
import { automationsQuery, choicesQuery } from '../queries.ts'
import type { Automation, Letter, Newsletter, Trigger } from '../types.ts'
import { useTitleOf } from '../words.tsx'
import { AutomationTask } from './automation-task.tsx'
import { TRIGGERS } from './form.ts'
import { useSentence, useTriggerNames, useTriggerNotes } from './words.ts'

const route = getRouteApi('/signed-in/$business/letters')

/** Letters that go out by themselves: after what, which, and how many got it lately. */
export function ByThemselves({ of: newsletter }: { of: Newsletter }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const isMine = may('NEWSLETTER_SEND')
  const list = useQuery({ ...automationsQuery(businessId, newsletter.id), enabled: isMine })
  const letters = useInfiniteQuery({ ...choicesQuery(businessId, newsletter.id), enabled: isMine })
  if (!isMine) return null
  const choices = letters.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="page by-themselves" aria-label={t`By themselves`}>
      <div className="section-head">
        <h2>{t`By themselves`}</h2>
        <span className="note">{t`To readers only, and with the link to leave, as every letter.`}</span>
      </div>
      {list.isPending ? (
        <Bones rows={3} columns={3} bleed={false} />
      ) : list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <ul>
          {TRIGGERS.map((trigger) => (
            <Row
              key={trigger}
              newsletter={newsletter}
              trigger={trigger}
              of={list.data.items.find((one) => one.trigger === trigger)}
              letters={choices}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

type RowProps = {
  newsletter: Newsletter
  trigger: Trigger
  of: Automation | undefined
  letters: readonly Letter[]
}

function Row({ newsletter, trigger, of: automation, letters }: RowProps) {
  const { t } = useLingui()
  const names = useTriggerNames()
  const notes = useTriggerNotes()
  const sentence = useSentence()
  const titleOf = useTitleOf()
  const { set } = route.useSearch()
  const navigate = route.useNavigate()
  const isOpen = set === trigger
  const turn = (open: boolean) =>
    void navigate({ search: (before) => ({ ...before, set: open ? trigger : undefined }), resetScroll: false })
  const letter = letters.find(({ id }) => id === automation?.entryId)
  const title = letter ? titleOf(letter) : '…'
  return (
    <li>
      <div className="line">
        <h3>{names[trigger]}</h3>
        <p className="soft says">{automation && !isOpen ? sentence({ ...automation, title }) : notes[trigger]}</p>
        <div className="state">
          <State of={automation} />
        </div>
        <div className="went">{automation && <Went of={automation} />}</div>
        {!isOpen && (
          <Button
            look={automation ? 'quiet small' : 'small'}
            aria-label={automation ? t`Change ${names[trigger]}` : t`Set up ${names[trigger]}`}
            onClick={() => turn(true)}
          >
            {automation ? t`Change` : t`Set up`}
          </Button>
        )}
      </div>
      {automation?.problem && automation.isEnabled && (
        <p className="alert-text why">
          {automation.problem}{' '}
          <EditorLink newsletter={newsletter.id} entry={automation.entryId} className="link">
            {t`Open the letter`}
          </EditorLink>
        </p>
      )}
      {isOpen && (
        <AutomationTask
          key={automation?.id ?? 'new'}
          newsletter={newsletter}
          trigger={trigger}
          of={automation}
          letters={letters}
          onClose={() => turn(false)}
        />
      )}
    </li>
  )
}

function State({ of: automation }: { of: Automation | undefined }) {
  const { t } = useLingui()
  if (!automation) return <Status fill="ring">{t`Not set up`}</Status>
  if (!automation.isEnabled) return <Status fill="off">{t`Off`}</Status>
  if (automation.problem) return <Status fill="off" tone="alert">{t`Sends nothing`}</Status>
  return <Status fill="full" tone="good">{t`On`}</Status>
}

function Went({ of: { entryId, sentLately, latestSendId } }: { of: Automation }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const business = addressOf(useBusiness())
  const count = number(sentLately)
  if (latestSendId === null) return <span className="soft">{t`Nobody was due yet`}</span>
  return (
    <Link
      to="/$business/letters/$entry/sends/$send"
      params={{ business, entry: entryId, send: latestSendId }}
      className="link"
    >
      {t`${count} in 30 days`}
    </Link>
  )
}
