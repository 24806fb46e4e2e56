import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useRef, useState } from 'react'
import { secondsAt, wallClockOf } from '../../i18n/days.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useIsShown } from '../../ui/use-is-shown.ts'
import { useSentence } from '../automations/words.ts'
import { automationsQuery, useReach } from '../queries.ts'
import { type Condition, EVERYBODY, isFinished, type Segment } from '../segment/segment.ts'
import { ToWhom } from '../segment/to-whom.tsx'
import { useMatching } from '../segment/use-matching.ts'
import { Who } from '../segment/who.tsx'
import { type Automation, hasBegun, isLive, type Letter, newsletterIdOf, type Send } from '../types.ts'
import { SendState, useDay, useMoment, useTitleOf } from '../words.tsx'
import { type Finding, isError } from './check.ts'
import { FindingList } from './findings.tsx'
import { useSendLetter } from './use-send.ts'

const DAY_SECONDS = 86_400

/** Tomorrow at eight, at the clock of the business. */
function nextMorning(timeZone: string): string {
  const tomorrow = wallClockOf(Date.now() / 1_000 + DAY_SECONDS, timeZone)
  return `${tomorrow.slice(0, 10)}T08:00`
}

type Props = {
  of: Letter
  subject: string
  sends: readonly Send[]
  findings: readonly Finding[] | undefined
}

/** Now or later, to how many, and once more only if that is meant. */
export function SendForm({ of: letter, subject, sends, findings }: Props) {
  const business = addressOf(useBusiness())
  const navigate = useNavigate()
  // The form itself is gone as soon as the send is known.
  const isShown = useIsShown()
  const live = sends.find(isLive)
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const newsletter = newsletterIdOf(letter)
  const { data } = useQuery({ ...automationsQuery(businessId, newsletter), enabled: may('NEWSLETTER_SEND') })
  const automation = data?.items.find(({ entryId }) => entryId === letter.id)
  const go = ({ id: send, entryId: entry }: Send) => {
    if (isShown.current)
      void navigate({ to: '/$business/letters/$entry/sends/$send', params: { business, entry, send } })
  }
  if (automation) return <ByItself of={automation} letter={letter} />
  return live ? <UnderWay of={live} /> : <Plan of={letter} {...{ subject, sends, findings }} onSent={go} />
}

/** It is not sent by hand. */
function ByItself({ of: automation, letter }: { of: Automation; letter: Letter }) {
  const { t } = useLingui()
  const title = useTitleOf()(letter)
  const sentence = useSentence()
  const business = addressOf(useBusiness())
  return (
    <section className="section send-form" aria-label={t`Send`}>
      <div className="section-head">
        <h2>{t`Goes out by itself`}</h2>
      </div>
      <p className="soft">
        {automation.isEnabled ? sentence({ ...automation, title }) : t`It is turned off: nobody gets it now.`}
      </p>
      {automation.isEnabled && automation.problem && <p className="alert-text">{automation.problem}</p>}
      <p className="acts">
        <Link
          to="/$business/letters"
          params={{ business }}
          search={{ newsletter: automation.collectionId, set: automation.trigger }}
          className="button"
        >
          {t`Change when and to whom`}
        </Link>
      </p>
    </section>
  )
}

function UnderWay({ of: send }: { of: Send }) {
  const { t } = useLingui()
  const at = useDay()(send.scheduledAt)
  const business = addressOf(useBusiness())
  return (
    <section className="section send-form" aria-label={t`Send`}>
      <div className="section-head">
        <h2>{t`Send`}</h2>
        <SendState of={send} />
      </div>
      <p className="soft">
        {send.status === 'SCHEDULED'
          ? t`It starts on ${at}. Text and readers are settled then: what you change until then goes out.`
          : t`Its text was settled when it started: what you change now does not go out with it.`}
      </p>
      <p className="acts">
        <Link
          to="/$business/letters/$entry/sends/$send"
          params={{ business, entry: send.entryId, send: send.id }}
          className="button"
        >
          {send.status === 'SCHEDULED' ? t`Pause or cancel it` : t`See how far it is`}
        </Link>
      </p>
    </section>
  )
}

function Plan({ of: letter, subject, sends, findings = [], onSent }: Props & { onSent: (send: Send) => void }) {
  const { t } = useLingui()
  const { timeZone } = useBusiness()
  const { reason } = usePermissions()
  const day = useDay()
  const group = useId()
  const clock = useRef<HTMLInputElement>(null)
  const [isLater, setLater] = useState(false)
  const [wallClock, setWallClock] = useState(() => nextMorning(timeZone))
  const [isMeant, setMeant] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [resends, setResends] = useState(false)
  const { send, asked, error } = useSendLetter(letter.id)
  const newsletterId = newsletterIdOf(letter)
  const reach = useReach(newsletterId)
  const [segment = EVERYBODY, setSegment] = useDraft<Segment>(`segment:${letter.id}`)
  const matching = useMatching(newsletterId, segment)
  const { isSome, conditions } = segment
  const isKnown = isSome && matching.found && !matching.isAsking
  const reached = isSome ? (isKnown ? matching.found?.matching : undefined) : reach?.reached
  const earlier = sends.find((one) => hasBegun(one) && !one.remainderOf)
  const at = wallClock === '' ? Number.NaN : secondsAt(wallClock, timeZone)
  const isPast = isLater && !(at > Date.now() / 1_000)
  const moment = isPast || Number.isNaN(at) ? '' : day(at)
  const why =
    reason('NEWSLETTER_SEND') ??
    (findings.some(isError) ? t`Something keeps it from being sent: see the check.` : undefined) ??
    (earlier && !isMeant ? t`It was sent already. Say first that you mean it.` : undefined) ??
    (isPast ? t`That time is over.` : undefined) ??
    (isSome && conditions.length === 0 ? t`Add a condition, or choose all readers.` : undefined) ??
    (isSome && !conditions.every(isFinished) ? t`A condition is not finished.` : undefined) ??
    (isSome && reached === 0 ? t`Nobody fits.` : undefined) ??
    (asked ? t`Processing…` : undefined)
  const plan = () => {
    setLater(true)
    requestAnimationFrame(() => clock.current?.focus())
  }
  useCommands([
    { id: 'plan', label: t`Plan this letter`, keys: 's', reason: why && earlier ? why : undefined, run: plan },
  ])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (why) return
    // What is planned can be taken back; what has gone out cannot.
    if (isLater) void start()
    else setAsking(true)
  }
  const start = async () => {
    setAsking(false)
    const made = await send({
      ...(isLater && { scheduledAt: at }),
      ...(earlier && { resend: true }),
      ...(resends && { onUncertain: 'RESEND' as const }),
      ...(isSome && { conditions }),
    })
    if (!made) return
    setSegment(undefined)
    toast(isLater ? t`Scheduled for ${moment}` : t`Sending…`)
    onSent(made)
  }
  return (
    <section className="section send-form" aria-label={t`Send`}>
      <div className="section-head">
        <h2>{t`Send`}</h2>
        {reach && (
          <span className="note">
            <Plural value={reach.reached} one="# reader" other="# readers" />
            {reach.suppressed > 0 && (
              <Plural
                value={reach.suppressed}
                one="; # suppressed one is left out"
                other="; # suppressed ones are left out"
              />
            )}
          </span>
        )}
      </div>
      <form onSubmit={submit}>
        {earlier && <Again of={earlier} sends={sends} isMeant={isMeant} onChange={setMeant} />}
        <Who newsletterId={newsletterId} value={segment} onChange={setSegment} matching={matching} />
        <div className="ways" role="radiogroup" aria-label={t`When`}>
          <Choice group={group} isOn={!isLater} onChoose={() => setLater(false)} name={t`Now`} />
          <Choice group={group} isOn={isLater} onChoose={plan} name={t`Later`} />
        </div>
        {isLater && (
          <Field
            ref={clock}
            type="datetime-local"
            max="9999-12-31T23:59"
            label={t`Date and time`}
            value={wallClock}
            onChange={(event) => setWallClock(event.target.value)}
            problem={isPast ? t`That time is over. Choose one to come.` : undefined}
            hint={
              isPast ? undefined : (
                <Trans>
                  {moment}, at the clock of {timeZone}
                </Trans>
              )
            }
          />
        )}
        <label className="choice">
          <input
            type="checkbox"
            className="check"
            checked={resends}
            onChange={(event) => setResends(event.target.checked)}
          />
          <span>
            {t`Send again where it is uncertain whether it arrived`}
            <br />
            <span className="note">
              {t`Without this, nobody gets it twice, but a few may miss it. With it, nobody misses it, but a few may get it twice.`}
            </span>
          </span>
        </label>
        <div className="acts">
          <Button type="submit" look="main" reason={why}>
            <Words reached={reached} isLater={isLater} />
          </Button>
          {why && <span className="note">{why}</span>}
        </div>
        {error !== undefined && <Problem error={error} kept={t`Nothing was sent.`} />}
      </form>
      <NowDialog
        of={letter}
        {...{ subject, findings, reached, why }}
        conditions={isSome ? conditions : undefined}
        open={isAsking}
        onClose={() => setAsking(false)}
        onSend={() => void start()}
      />
    </section>
  )
}

type NowProps = {
  of: Letter
  subject: string
  findings: readonly Finding[]
  reached: number | undefined
  conditions: readonly Condition[] | undefined
  why: string | undefined
  open: boolean
  onClose: () => void
  onSend: () => void
}

/** The last look at what goes out, and to whom. */
function NowDialog({ of: letter, subject, findings, reached, conditions, why, open, onClose, onSend }: NowProps) {
  const { t } = useLingui()
  const newsletter = newsletterIdOf(letter)
  const status = letter.statuses.at(-1)?.status
  const isDraft = status !== 'PUBLISHED' && status !== 'ARCHIVED'
  return (
    <Dialog open={open} onClose={onClose} title={t`Send it now?`}>
      <div className="send-now">
        <dl className="pairs">
          <dt>{t`Subject`}</dt>
          <dd className="break">{subject}</dd>
          <dt>{t`Goes to`}</dt>
          <dd>
            {reached === undefined ? (
              conditions ? (
                t`Those who fit`
              ) : (
                t`All readers`
              )
            ) : (
              <Plural value={reached} one="# reader" other="# readers" />
            )}
          </dd>
        </dl>
        {conditions && <ToWhom {...{ conditions, newsletter }} />}
        {isDraft && <p className="note">{t`It is still a draft in Content; sending does not publish it.`}</p>}
        {findings.length > 0 && (
          <div className="findings">
            <FindingList of={findings} />
          </div>
        )}
        <p className="soft">{t`What has gone out cannot be taken back.`}</p>
      </div>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Not yet`}</Button>
        <Button look="main" reason={why} onClick={onSend}>
          {reached === undefined ? (
            t`Send now`
          ) : (
            <Plural value={reached} one="Send to # reader" other="Send to # readers" />
          )}
        </Button>
      </div>
    </Dialog>
  )
}

/** What the button does, and to how many if that is known. */
function Words({ reached, isLater }: { reached: number | undefined; isLater: boolean }) {
  const { t } = useLingui()
  if (reached === undefined) return isLater ? t`Plan it` : t`Send now`
  return isLater ? (
    <Plural value={reached} one="Plan it for # reader" other="Plan it for # readers" />
  ) : (
    <Plural value={reached} one="Send to # reader now" other="Send to # readers now" />
  )
}

type ChoiceProps = { group: string; isOn: boolean; onChoose: () => void; name: string }

const Choice = ({ group, isOn, onChoose, name }: ChoiceProps) => (
  <label className="choice">
    <input type="radio" className="check radio" name={group} checked={isOn} onChange={onChoose} />
    {name}
  </label>
)

/** Once more is a step of its own. */
type AgainProps = { of: Send; sends: readonly Send[]; isMeant: boolean; onChange: (isMeant: boolean) => void }

function Again({ of: send, sends, isMeant, onChange }: AgainProps) {
  const { t } = useLingui()
  const { number } = useFormat()
  const moment = useMoment()
  const business = addressOf(useBusiness())
  const ofIt = sends.filter(({ id, remainderOf }) => id === send.id || remainderOf === send.id)
  const count = number(ofIt.reduce((sum, { sent }) => sum + sent, 0))
  const at = moment(send.startedAt ?? send.scheduledAt)
  return (
    <>
      <Notice
        tone="calm"
        title={
          <Trans>
            It was sent at {at}; {count} readers have it.
          </Trans>
        }
        action={
          <Link
            to="/$business/letters/$entry/sends/$send"
            params={{ business, entry: send.entryId, send: send.id }}
            className="button small"
          >{t`What became of it`}</Link>
        }
      >
        {t`Those whom it did not reach can be sent it alone, there.`}
      </Notice>
      <label className="choice">
        <input
          type="checkbox"
          className="check"
          checked={isMeant}
          onChange={(event) => onChange(event.target.checked)}
        />
        {t`Send it once more, also to those who have it`}
      </label>
    </>
  )
}
