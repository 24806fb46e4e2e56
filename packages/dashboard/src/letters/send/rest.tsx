import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useId, useRef, useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useIsShown } from '../../ui/use-is-shown.ts'
import { useSends } from '../queries.ts'
import { isLive, type Send } from '../types.ts'

const route = getRouteApi('/signed-in/$business/letters/$entry/sends/$send')

type Left = 'FAILED' | 'UNCERTAIN' | 'PLANNED'

/** Whom it did not reach, and a second letter for them alone. */
export function Rest({ of: send }: { of: Send }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { reason } = usePermissions()
  const { failed, uncertain, planned } = send
  const isOver = !isLive(send)
  const [chosen, setChosen] = useState<ReadonlySet<Left>>(new Set<Left>(['FAILED', 'PLANNED']))
  const earlier = useSends(send.entryId).data?.items.some(({ remainderOf }) => remainderOf === send.id) ?? false
  const form = useRef<HTMLFormElement>(null)
  const { again, isAsked, error } = useAgain(send)
  const [once, twice] = [number(failed), number(uncertain)]
  const missed = number(planned)
  const parts: { status: Left; count: number; name: string; note: string }[] = [
    {
      status: 'FAILED',
      count: failed,
      name: t`Failed: ${once}`,
      note: t`worth it if the server’s answer was about us, not about them`,
    },
    {
      status: 'UNCERTAIN',
      count: uncertain,
      name: t`Uncertain: ${twice}`,
      note: t`nobody misses it; up to ${twice} get it twice`,
    },
    // While it goes on, their turn comes by itself.
    {
      status: 'PLANNED',
      count: isOver ? planned : 0,
      name: t`Not reached: ${missed}`,
      note: t`it was cancelled before their turn`,
    },
  ]
  const open = parts.filter(({ count }) => count > 0)
  const wanted = open.filter(({ status }) => chosen.has(status))
  const sum = number(wanted.reduce((total, { count }) => total + count, 0))
  const why =
    reason('NEWSLETTER_SEND') ??
    (isOver ? undefined : t`Possible when the send has ended.`) ??
    (wanted.length === 0 ? t`Choose who is meant.` : undefined) ??
    (isAsked ? t`Processing…` : undefined)
  const decide = () => {
    const boxes = [...(form.current?.querySelectorAll<HTMLInputElement>('input') ?? [])]
    const box = boxes.find(({ checked }) => !checked) ?? boxes[0]
    box?.focus()
  }
  const canDecide = open.length > 0
  useCommands(
    canDecide
      ? [{ id: 'send-rest', label: t`Send to the rest`, keys: 'r', reason: isOver ? undefined : why, run: decide }]
      : [],
  )
  if (!canDecide) return null
  const toggle = (status: Left) =>
    setChosen(
      (before) => new Set([...before].filter((one) => one !== status).concat(before.has(status) ? [] : [status])),
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!why) void again(wanted.map(({ status }) => status))
  }
  return (
    <section>
      <h2>{t`Send to the rest`}</h2>
      <form className="rest" ref={form} onSubmit={submit}>
        {open.map(({ status, name, note }) => (
          <Choice key={status} name={name} note={note} isOn={chosen.has(status)} onToggle={() => toggle(status)} />
        ))}
        <Button type="submit" look={isOver && !earlier ? 'main' : undefined} reason={why}>
          <Trans>Send to the rest: {sum}</Trans>
        </Button>
        <p className="note">
          {!isOver
            ? t`Possible when the send has ended.`
            : earlier
              ? t`It was sent to the rest already. Whoever was among them is left out now.`
              : t`The same letter, as it was sent. Whoever has left or bounced since is left out.`}
        </p>
        {error !== undefined && <Problem error={error} />}
      </form>
    </section>
  )
}

function Choice(props: { name: string; note: string; isOn: boolean; onToggle: () => void }) {
  const id = useId()
  return (
    <div className="choice">
      <input
        type="checkbox"
        className="check"
        id={id}
        aria-describedby={`${id}-note`}
        checked={props.isOn}
        onChange={props.onToggle}
      />
      <div>
        <label htmlFor={id} className="strong">
          {props.name}
        </label>
        <p className="note" id={`${id}-note`}>
          {props.note}
        </p>
      </div>
    </div>
  )
}

/** Sends the letter to them, and goes where that is to be seen. */
function useAgain({ id, entryId }: Send) {
  const { t } = useLingui()
  const ask = useAsk()
  const navigate = route.useNavigate()
  const isShown = useIsShown()
  const [isAsked, setAsked] = useState(false)
  const [error, setError] = useState<unknown>()
  const again = async (statuses: Left[]) => {
    setAsked(true)
    setError(undefined)
    try {
      const made = await ask({
        operation: 'sendRemaining',
        input: { path: { entryId, id }, body: { statuses } },
        label: t`Send a letter to the rest`,
        about: [id, entryId],
      })
      if (isShown.current)
        void navigate({ to: '.', params: (now) => ({ ...now, entry: entryId, send: made.id }), search: {} })
    } catch (cause) {
      setError(cause)
    } finally {
      setAsked(false)
    }
  }
  return { again, isAsked, error }
}
