import '../letters.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { MailOpen, Pause, Play, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { invalidate } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { type Command, useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Head, usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Crumbs } from '../crumbs.tsx'
import { letterQuery, useSend } from '../queries.ts'
import { ToWhom } from '../segment/to-whom.tsx'
import { isLive, type Letter, newsletterIdOf, type Send } from '../types.ts'
import { SendState, useMoment, useTitleOf } from '../words.tsx'
import { Balance } from './balance.tsx'
import { Facts } from './facts.tsx'
import { People } from './people.tsx'
import { ResultsOf } from './results.tsx'
import { useSteer } from './use-steer.ts'

const route = getRouteApi('/signed-in/$business/letters/$entry/sends/$send')

/** One send: what became of every reader, and what can be done about it. */
export function SendPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { entry, send: id } = route.useParams()
  const { reason } = usePermissions()
  const lacks = reason('NEWSLETTER_SEND')
  const letter = useQuery({ ...letterQuery(businessId, entry), retry: false })
  const found = useSend(businessId, entry, id, !lacks)
  if (found.data) return <Shown key={id} of={found.data} letter={letter.data} />
  return (
    <div className="letters">
      <Head title={t`Send`} />
      <div className="page">
        {lacks ? (
          <Empty title={t`How a letter is sent is not shown to you`}>{lacks}</Empty>
        ) : found.isError ? (
          <Problem error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <Bones rows={10} columns={5} bleed={false} />
        )}
      </div>
    </div>
  )
}

function Shown({ of: send, letter }: { of: Send; letter: Letter | undefined }) {
  const { id: businessId } = useBusiness()
  const title = useTitleOf()(letter)
  const { steer, asked, error } = useSteer(send)
  usePageTitle(title)
  // Who is in which part is known anew once it has stopped.
  const before = useRef(send.status)
  useEffect(() => {
    if (before.current !== send.status)
      void invalidate(businessId, ['listRecipients', 'listSends', 'findSends', 'getSendResults'])
    before.current = send.status
  }, [send.status, businessId])
  const newsletter = letter && newsletterIdOf(letter)
  return (
    <div className="letters send">
      <header className="head">
        <Crumbs newsletter={newsletter} />
        <h1>{title}</h1>
        <p className="facts-line" role="status">
          <SendState of={send} />
          <Pace of={send} />
        </p>
        <Acts of={send} asked={asked} onSteer={(verb) => void steer(verb)} />
      </header>
      <div className="page said">
        {error !== undefined && <Problem error={error} />}
        <Why of={send} newsletter={newsletter} />
      </div>
      <Balance of={send} />
      <div className="record">
        <div className="work">
          <ResultsOf of={send} />
          <People of={send} newsletter={newsletter} />
        </div>
        <Facts of={send} />
      </div>
    </div>
  )
}

/** How fast, and until when. */
function Pace({ of: { status, perSecond, estimatedEndAt, scheduledAt, finishedAt, planned } }: { of: Send }) {
  const { number } = useFormat()
  const moment = useMoment()
  const { t } = useLingui()
  const at = moment(scheduledAt)
  const words = (() => {
    if (status === 'SCHEDULED') return t`starts at ${at}`
    if (status === 'PAUSED') return t`${number(planned)} wait until it goes on`
    if (status === 'RUNNING' && perSecond) {
      const pace = number(Math.round(perSecond * 60))
      return estimatedEndAt ? t`${pace} a minute, done at about ${moment(estimatedEndAt)}` : t`${pace} a minute`
    }
    return finishedAt === null ? '' : t`ended at ${moment(finishedAt)}`
  })()
  return <span className="soft">{words}</span>
}

/** What needs a person, or is good to know. */
function Why({ of: send, newsletter }: { of: Send; newsletter: string | undefined }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const { entryId, problem, remainderOf, status, automationId, conditions } = send
  return (
    <>
      {problem !== null && (
        <Notice tone="alert" title={status === 'PAUSED' ? t`It was paused by itself.` : t`It could not be sent.`}>
          {problem}{' '}
          {status === 'PAUSED' ? t`Resume it when that is mended.` : t`Correct the letter, and send it again.`}
        </Notice>
      )}
      {automationId !== undefined && (
        <p className="note">{t`It goes out by itself: whoever becomes due within the hour joins this send.`}</p>
      )}
      {conditions && <ToWhom {...{ conditions, newsletter }} />}
      {remainderOf && (
        <p className="note">
          <Trans>
            To those whom{' '}
            <Link
              to="/$business/letters/$entry/sends/$send"
              params={{ business, entry: entryId, send: remainderOf }}
              className="link"
            >
              the first send
            </Link>{' '}
            did not reach.
          </Trans>
        </p>
      )}
    </>
  )
}

type ActsProps = { of: Send; asked: string | undefined; onSteer: (verb: 'pause' | 'resume' | 'cancel') => void }

function Acts({ of: send, asked, onSteer }: ActsProps) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const [isAsking, setAsking] = useState(false)
  const { status, entryId } = send
  const why = asked ? t`Processing…` : undefined
  const canPause = status === 'RUNNING' || status === 'SCHEDULED'
  const commands: (Command | false)[] = [
    canPause && {
      id: 'pause',
      label: t`Pause`,
      keys: 'p',
      icon: Pause,
      reason: why,
      run: () => onSteer('pause'),
    },
    status === 'PAUSED' && {
      id: 'resume',
      label: t`Resume`,
      keys: 'p',
      icon: Play,
      reason: why,
      run: () => onSteer('resume'),
    },
    isLive(send) && { id: 'cancel', label: t`Cancel the send`, icon: X, reason: why, run: () => setAsking(true) },
  ]
  useCommands(commands.filter((command) => command !== false))
  return (
    <div className="acts">
      <Link to="/$business/letters/$entry" params={{ business, entry: entryId }} className="button">
        <Icon of={MailOpen} />
        {t`See the letter`}
      </Link>
      {isLive(send) && (
        <Button look="quiet" icon={X} reason={why} onClick={() => setAsking(true)}>
          {t`Cancel`}
        </Button>
      )}
      {canPause && (
        <Button look="main" icon={Pause} reason={why} onClick={() => onSteer('pause')}>
          {t`Pause`}
        </Button>
      )}
      {status === 'PAUSED' && (
        <Button look="main" icon={Play} reason={why} onClick={() => onSteer('resume')}>
          {t`Resume`}
        </Button>
      )}
      <CancelDialog
        of={send}
        open={isAsking}
        onClose={() => setAsking(false)}
        onCancel={() => {
          setAsking(false)
          onSteer('cancel')
        }}
      />
    </div>
  )
}

type CancelProps = { of: Send; open: boolean; onClose: () => void; onCancel: () => void }

function CancelDialog({ of: { planned, sent, startedAt, automationId }, open, onClose, onCancel }: CancelProps) {
  const { t } = useLingui()
  const { number } = useFormat()
  const [have, miss] = [number(sent), number(planned)]
  return (
    <Dialog open={open} onClose={onClose} title={t`Cancel this send?`}>
      <p className="soft">
        {startedAt === null
          ? t`It does not start. The letter stays as it is, and can be sent another time.`
          : automationId !== undefined
            ? t`${have} readers have it already, ${miss} do not get it. Whoever becomes due later gets it all the same: turn it off under “By themselves” to stop that.`
            : t`${have} readers have it already, ${miss} do not get it. It cannot be resumed; you can send to the rest later. Pausing keeps all ways open.`}
      </p>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Go on`}</Button>
        <Button look="destroy main" onClick={onCancel}>{t`Cancel the send`}</Button>
      </div>
    </Dialog>
  )
}
