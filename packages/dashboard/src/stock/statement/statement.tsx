import type { Order } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Check, FileUp, type LucideIcon, ReceiptText, TriangleAlert, Undo2, UserRound } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { nameOfOrder } from '../../orders/words.tsx'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { When } from '../../ui/time.tsx'
import { balanceOf, type Movement } from './balance.ts'
import { isByOrder } from './use-orders.ts'

const route = getRouteApi('/signed-in/$business/stock/$product/$variant')

const ICONS: Record<Movement['kind'], LucideIcon> = {
  ORDER: ReceiptText,
  CANCEL: Undo2,
  RETURN: Undo2,
  MANUAL: UserRound,
  IMPORT: FileUp,
  COUNT: Check,
}

type Props = {
  movements: readonly Movement[]
  orders: ReadonlyMap<string, Order>
  /** What the stock itself says, and the number of its last movement. */
  stock: { quantity: number; number: number }
  onTakeBack: (movement: Movement) => void
  onOlder: (() => void) | undefined
}

/** What a person has entered, and may take back by the opposite. */
export const isByHand = ({ kind }: Movement) => kind === 'MANUAL' || kind === 'COUNT'

/** The account of a variant: opening balance, what came, what went, and what that makes. Not drawn again while somebody types. */
export const Statement = memo(function Statement({ movements, orders, stock, onTakeBack, onOlder }: Props) {
  const { t } = useLingui()
  const colleague = useColleagues()
  const personOf = ({ userId }: Movement) => (userId ? (colleague(userId) ?? t`Somebody of the team`) : t`Kontor`)
  const { number } = useFormat()
  const { kind } = route.useSearch()
  const shown = movements.filter((each) => kind === undefined || isByOrder(each) === (kind === 'orders'))
  const { opening, before, came, went, closing } = balanceOf(movements)
  const kinds = [
    { kind: undefined, name: t`All` },
    { kind: 'orders', name: t`Orders` },
    { kind: 'people', name: t`By people` },
  ] as const
  return (
    <section className="section" aria-labelledby="statement">
      <div className="section-head">
        <h2 id="statement">{t`Statement`}</h2>
        <nav className="segment" aria-label={t`Which movements`}>
          {kinds.map((each) => (
            <route.Link
              key={each.name}
              to="."
              search={(now) => ({ ...now, kind: each.kind })}
              replace
              aria-current={each.kind === kind ? 'true' : undefined}
            >
              {each.name}
            </route.Link>
          ))}
        </nav>
      </div>
      <table className="table stack still statement" aria-labelledby="statement">
        <thead>
          <tr>
            <th className="no">{t`No.`}</th>
            <th>{t`When`}</th>
            <th>{t`What`}</th>
            <th>{t`By`}</th>
            <th className="num">{t`In`}</th>
            <th className="num">{t`Out`}</th>
            <th className="num">{t`Balance`}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((movement) => (
            <Row
              key={movement.number}
              movement={movement}
              order={orders.get(movement.reference ?? '')}
              person={personOf(movement)}
              onTakeBack={onTakeBack}
            />
          ))}
          {kind === undefined && before > 0 && (
            <tr className="open">
              <td />
              <td />
              <td>
                <Plural value={before} one="Carried over from # movement" other="Carried over from # movements" />
              </td>
              <td />
              <td />
              <td />
              <td className="num">{number(opening)}</td>
            </tr>
          )}
        </tbody>
        {kind === undefined && (
          <tfoot>
            <tr className="sum-row">
              <td />
              <td />
              <td>
                <Plural value={movements.length} one="# movement" other="# movements" />
              </td>
              <td />
              <td className="num good-text">{came > 0 && `+${number(came)}`}</td>
              <td className="num">{went > 0 && `−${number(went)}`}</td>
              <td className="num">{number(closing)}</td>
            </tr>
          </tfoot>
        )}
      </table>
      <Proof movements={movements} stock={stock} />
      {onOlder && (
        <p className="after">
          <Button look="small" onClick={onOlder}>{t`Show older ones`}</Button>
        </p>
      )}
    </section>
  )
})

/** Added up here, and compared with what the service says there is. */
function Proof({ movements, stock }: Pick<Props, 'movements' | 'stock'>) {
  const { number } = useFormat()
  const { opening, came, went, closing, last, isBroken } = balanceOf(movements)
  const sum = `${number(opening)} + ${number(came)} − ${number(went)} = ${number(closing)}`
  // It has sold between the two answers: the next one is on its way.
  if (!isBroken && last !== stock.number)
    return (
      <p className="proof" role="status">
        <Trans>
          {sum} as of movement {number(last)}; a newer one is being read.
        </Trans>
      </p>
    )
  if (isBroken || closing !== stock.quantity)
    return (
      <p className="proof wrong" role="alert">
        <Icon of={TriangleAlert} />
        <span>
          <b className="strong">
            <Trans>These movements do not add up to {number(stock.quantity)}.</Trans>
          </b>{' '}
          <span className="soft">
            <Trans>{sum}. Tell whoever runs this service: “verify” finds the movement.</Trans>
          </span>
        </span>
      </p>
    )
  return (
    <p className="proof">
      <Icon of={Check} />
      <span>
        <b className="strong">
          <Plural
            value={last}
            one={`# movement, no number missing, their sum is ${number(closing)}.`}
            other={`# movements, no number missing, their sum is ${number(closing)}.`}
          />
        </b>{' '}
        <span className="soft">
          <Trans>{sum}, added up on this screen just now.</Trans>
        </span>
      </span>
    </p>
  )
}

type RowProps = {
  movement: Movement
  order: Order | undefined
  person: string
  onTakeBack: (movement: Movement) => void
}

/** A sale adds one; the others are not drawn again. */
const Row = memo(function Row({ movement, order, person, onTakeBack }: RowProps) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { kind, delta, quantity, reason, createdAt } = movement
  const by = order && kind === 'ORDER' ? nameOfOrder(order) || person : person
  const moved = delta > 0 ? `+${number(delta)}` : `−${number(-delta)}`
  return (
    <tr>
      <td className="no">{number(movement.number)}</td>
      <td className="nowrap soft p3">
        <When at={createdAt} />
        <span className="only-phone">
          <Trans>, {number(quantity)} then</Trans>
        </span>
      </td>
      <td className="kind p1">
        <Icon of={ICONS[kind]} />
        <span>
          <What movement={movement} order={order} />
        </span>
        {isByHand(movement) && (
          <Button
            look="quiet small"
            icon={Undo2}
            only={t`Take back no. ${movement.number}`}
            onClick={() => onTakeBack(movement)}
            className="take-back"
          />
        )}
        {reason && <span className="note why">{reason}</span>}
      </td>
      <td className="soft p4">{by}</td>
      <td className="num good-text hide-phone">{delta > 0 && moved}</td>
      <td className="num hide-phone">{delta < 0 && moved}</td>
      <td className="num p2">
        <span className={`only-phone ${delta > 0 ? 'good-text' : ''}`}>{moved}</span>
        <span className="strong hide-phone">{number(quantity)}</span>
      </td>
    </tr>
  )
})

function What({ movement: { kind, reference, delta }, order }: { movement: Movement; order: Order | undefined }) {
  const { t } = useLingui()
  const named: ReactNode =
    order && reference ? (
      <route.Link to="/$business/orders/$order" params={(now) => ({ ...now, order: reference })} className="strong">
        {order.number}
      </route.Link>
    ) : null
  if (kind === 'ORDER') return delta > 0 ? <Trans>Fewer in order {named}</Trans> : <Trans>Order {named}</Trans>
  if (kind === 'CANCEL') return <Trans>Cancelled {named}</Trans>
  if (kind === 'RETURN') return <Trans>Returned {named}</Trans>
  if (kind === 'IMPORT') return t`Import of products`
  if (kind === 'COUNT') return t`Stocktake`
  return delta > 0 ? t`Added by hand` : t`Taken by hand`
}
