import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { kontor } from '../api/client.ts'
import { useOwnFormat } from '../profile/moment.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { shareOf } from './cell-share.ts'
import type { Cell, Placement } from './types.ts'
import { useAsking } from './use-asking.ts'
import { usePlacementWords } from './words.tsx'

const PLACEMENTS: readonly Placement[] = ['OPEN', 'CLOSED', 'DRAINING', 'OFF']
const MAIN = 'main'
const MAX_WEIGHT = 10_000

type Props = { of: Cell; among: readonly Cell[]; onClose: () => void }

/** What a cell takes, and what follows from it, before it is done. */
export function CellSheet({ of: cell, among, onClose }: Props) {
  const { t } = useLingui()
  const { name, businesses } = cell
  const form = useId()
  const words = usePlacementWords()
  const [placement, setPlacement] = useState(cell.placement)
  const [typed, setTyped] = useState(String(cell.weight))
  const [isUnderstood, setUnderstood] = useState(false)
  const { ask, error, waiting } = useAsking()
  const weight = Number(typed)
  const isWeight = Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT
  const isGoingOff = placement === 'OFF' && cell.placement !== 'OFF'
  const isHarm = isGoingOff && businesses > 0
  const isChanged = placement !== cell.placement || weight !== cell.weight
  const refused = !isWeight
    ? t`The weight is no number from 1 to 10,000.`
    : !isChanged
      ? t`Nothing has changed.`
      : isHarm && !isUnderstood
        ? t`Say that you know what it means for its businesses.`
        : undefined
  const reason = waiting ?? refused
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    const changes = {
      ...(placement !== cell.placement && { placement }),
      ...(weight !== cell.weight && { weight }),
      ...(isHarm && { force: true }),
    }
    void ask(async () => {
      await kontor.operations.setOperatorCell({ path: { id: name }, body: changes })
      toast(t`Cell ${name} updated`)
      onClose()
    })
  }
  const foot = (
    <>
      <Button type="submit" form={form} look={isGoingOff ? 'destroy main' : 'main'} reason={reason}>
        {isGoingOff ? t`Switch ${name} off` : t`Change ${name}`}
      </Button>
      <Button look="quiet" onClick={onClose}>{t`Leave it`}</Button>
    </>
  )
  const choices = PLACEMENTS.filter((one) => one !== 'OFF' || name !== MAIN)
  return (
    <Sheet open onClose={onClose} title={t`Cell ${name}`} foot={foot}>
      <form id={form} className="op-form" onSubmit={submit}>
        {error !== undefined && <Problem error={error} kept={t`The cell is as it was.`} />}
        <fieldset className="op-choices">
          <legend>{t`What it takes`}</legend>
          {choices.map((one) => (
            <label key={one}>
              <input type="radio" name="placement" checked={placement === one} onChange={() => setPlacement(one)} />
              <span>
                <b>{words(one)}</b>
                <span className="soft">
                  <Meaning of={one} />
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field
          label={t`Weight`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          edited={weight !== cell.weight}
          problem={isWeight ? undefined : t`A whole number from 1 to 10,000.`}
          onChange={({ target }) => setTyped(target.value)}
          hint={t`How many of the new businesses it takes, compared with the others.`}
        />
        <section className="op-follows" aria-live="polite">
          <h3>{t`What follows`}</h3>
          <ul className="op-then soft">
            <Follows cell={cell} among={among} placement={placement} weight={isWeight ? weight : cell.weight} />
          </ul>
        </section>
        {isHarm && (
          <label className="op-understood">
            <input type="checkbox" checked={isUnderstood} onChange={() => setUnderstood(!isUnderstood)} />
            <span>
              <Plural
                value={businesses}
                one="I know that # business is then closed to everybody."
                other="I know that # businesses are then closed to everybody."
              />
            </span>
          </label>
        )}
      </form>
    </Sheet>
  )
}

function Meaning({ of }: { of: Placement }) {
  const { t } = useLingui()
  return {
    OPEN: t`New businesses may come here.`,
    CLOSED: t`Only those come here that an operator puts here.`,
    DRAINING: t`Nobody comes here any more: it is going to be emptied.`,
    OFF: t`Nobody connects to it.`,
  }[of]
}

type Wanted = { cell: Cell; among: readonly Cell[]; placement: Placement; weight: number }

/** In words, with the figures of this cell. */
function Follows({ cell, among, placement, weight }: Wanted) {
  const { t } = useLingui()
  const { percent } = useOwnFormat()
  const { name, businesses } = cell
  const share = shareOf(name, weight, among)
  const others = among.filter((one) => one.name !== name && one.placement === 'OPEN').length
  if (placement === 'OFF')
    return (
      <>
        <li>
          {businesses === 0 ? (
            <Trans>No business lives here: nobody notices.</Trans>
          ) : (
            <Plural
              value={businesses}
              one="# business gets 503 within seconds: shop, people and keys. Its jobs wait, and no letter is sent."
              other="# businesses get 503 within seconds: shops, people and keys. Their jobs wait, and no letter is sent."
            />
          )}
        </li>
        <li>
          <Trans>Nothing is deleted. Opening it again brings everything back.</Trans>
        </li>
      </>
    )
  return (
    <>
      <li>
        {cell.placement === 'OFF' ? (
          <Plural
            value={businesses}
            _0="It can be used again within seconds."
            one="# business is served again within seconds."
            other="# businesses are served again within seconds."
          />
        ) : (
          <Plural
            value={businesses}
            _0="No business lives here yet."
            one="# business is served as before."
            other="# businesses are served as before."
          />
        )}
      </li>
      {placement === 'OPEN' && (
        <li>
          {others === 0
            ? t`It is the only open cell: every new business comes here.`
            : t`In the long run it holds about ${percent(share)} of the businesses of all open cells.`}
        </li>
      )}
      {placement !== 'OPEN' && others === 0 && (
        <li className="alert-text">
          <Trans>No other cell is open: nobody can create a business.</Trans>
        </li>
      )}
    </>
  )
}
