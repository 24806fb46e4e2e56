import type { OrderLine, Product } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { Fragment, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { Money } from '../../ui/money.tsx'
import type { Pieces } from './pieces.ts'
import { useGoods } from './queries.ts'
import { Sums } from './sums.tsx'
import type { OrderView } from './view.ts'
import { Why } from './why.tsx'

type Props = { view: OrderView; why: string | undefined; onWhy: (line: string | undefined) => void }

/** What was ordered, added up like a ledger. Every figure says where it comes from. */
export function Lines({ view, why, onWhy }: Props) {
  const { t } = useLingui()
  const { order } = view
  const goods = useGoods(order.lines.map(({ productId }) => productId))
  const table = useRef<HTMLTableElement>(null)
  const isRoomy = useIsRoomy(table)
  const hasDiscount = isRoomy && order.discount > 0
  const columns = 3 + Number(hasDiscount) + Number(isRoomy)
  return (
    <section className="section" aria-label={t`Lines`}>
      <table className="table lines" ref={table}>
        <thead>
          <tr>
            <th>{t`Line`}</th>
            <th className="num q">{t`Price`}</th>
            <th className="num q">{t`Pieces`}</th>
            {hasDiscount && <th className="num q">{t`Discount`}</th>}
            {isRoomy && <th className="num q">{order.taxIncluded > 0 ? t`Tax inside` : t`Tax`}</th>}
            <th className="num">{t`Total`}</th>
          </tr>
        </thead>
        <tbody>
          {order.lines.map((line, index) => {
            const isOpen = why === line.id || why === 'all'
            return (
              <Fragment key={line.id}>
                <Line
                  {...{ line, isOpen, isRoomy, hasDiscount }}
                  currency={order.currency}
                  product={goods.get(line.productId)}
                  pieces={view.pieces.get(line.id)}
                  onWhy={() => onWhy(isOpen ? undefined : line.id)}
                />
                {isOpen && (
                  <tr className="why" id={`why-${line.id}`}>
                    <td colSpan={columns + 1}>
                      <Why {...{ view, line, index }} />
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
        <Sums view={view} columns={columns} />
      </table>
    </section>
  )
}

type LineProps = {
  line: OrderLine
  currency: string
  product: Product | undefined
  pieces: Pieces | undefined
  isOpen: boolean
  isRoomy: boolean
  hasDiscount: boolean
  onWhy: () => void
}

function Line({ line, currency, product, pieces, isOpen, isRoomy, hasDiscount, onWhy }: LineProps) {
  const { t } = useLingui()
  const picture = product?.variants.find(({ id }) => id === line.variantId)?.gallery?.[0] ?? product?.gallery?.[0]
  const { name } = line
  return (
    <tr className={isOpen ? 'open' : ''}>
      <td>
        <div className="thing">
          <Thumb address={picture?.url} />
          <div>
            <span className="strong">
              <span className="only-phone">{line.quantity} × </span>
              {name}
            </span>
            <br />
            <span className="note">{[line.sku, ...usePieceWords(line, pieces)].filter(Boolean).join(' · ')}</span>
            {pieces && pieces.asked > 0 && (
              <span className="note wait-text">
                {' · '}
                <Trans>{pieces.asked} refund pending</Trans>
              </span>
            )}
            <div className="only-phone">
              <AskWhy {...{ name, isOpen, onWhy }} controls={`why-${line.id}`} />
            </div>
          </div>
        </div>
      </td>
      <td className="num q">
        <Money amount={line.unitPrice} currency={currency} />
        <br />
        <AskWhy {...{ name, isOpen, onWhy }} controls={`why-${line.id}`} />
      </td>
      <td className="num q">{line.quantity}</td>
      {hasDiscount && (
        <td className="num q">
          {line.discount > 0 ? (
            <Money amount={-line.discount} currency={currency} />
          ) : (
            <span className="soft">{t`none`}</span>
          )}
        </td>
      )}
      {isRoomy && (
        <td className="num q soft">
          <Money amount={line.tax} currency={currency} />
        </td>
      )}
      <td className="num">
        <Money amount={line.totalPrice} currency={currency} />
      </td>
    </tr>
  )
}

function AskWhy({
  name,
  isOpen,
  onWhy,
  controls,
}: {
  name: string
  isOpen: boolean
  onWhy: () => void
  controls: string
}) {
  return (
    <button
      type="button"
      className="ask-why"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={onWhy}
    >
      <Trans>
        why <span className="unseen">does {name} cost this?</span>
      </Trans>{' '}
      <Icon of={isOpen ? ChevronUp : ChevronDown} />
    </button>
  )
}

/** How far it is, where there is something to say. */
function usePieceWords(line: OrderLine, pieces: Pieces | undefined): string[] {
  const { t } = useLingui()
  if (!pieces) return []
  const { shipped, refunded, returned } = pieces
  return [
    shipped > 0 ? t`${shipped} of ${line.quantity} sent` : '',
    refunded > 0 ? t`${refunded} refunded` : '',
    returned > 0 ? t`${returned} came back` : '',
  ]
}

/** Enough room for what a line had of discount and tax. */
const ROOMY_PX = 680

function useIsRoomy(table: RefObject<HTMLElement | null>): boolean {
  const [isRoomy, setIsRoomy] = useState(false)
  useLayoutEffect(() => {
    const around = table.current?.parentElement
    if (!around) return undefined
    const measure = () => setIsRoomy(around.clientWidth >= ROOMY_PX)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(around)
    return () => observer.disconnect()
  }, [table])
  return isRoomy
}

function Thumb({ address }: { address: string | undefined }) {
  const [isGone, setIsGone] = useState(false)
  if (!address || isGone) return <span className="thumb big" aria-hidden="true" />
  return <img className="thumb big" src={address} alt="" loading="lazy" onError={() => setIsGone(true)} />
}
