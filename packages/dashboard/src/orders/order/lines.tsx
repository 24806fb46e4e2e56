import type { OrderLine, Product } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { Fragment } from 'react'
import { addressOf, useBusiness } from '../../session/use-business.ts'
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
  const hasDiscount = order.discount > 0
  return (
    <section className="section" aria-label={t`Lines`}>
      <table className="table lines">
        <thead>
          <tr>
            <th>{t`Line`}</th>
            <th className="num q">{t`Price`}</th>
            <th className="num q">{t`Pieces`}</th>
            {hasDiscount && <th className="num q roomy">{t`Discount`}</th>}
            <th className="num q roomy">{order.taxIncluded > 0 ? t`Tax inside` : t`Tax`}</th>
            <th className="num">{t`Total`}</th>
          </tr>
        </thead>
        <tbody>
          {order.lines.map((line, index) => {
            const isOpen = why === line.id || why === 'all'
            return (
              <Fragment key={line.id}>
                <Line
                  {...{ line, isOpen, hasDiscount }}
                  currency={order.currency}
                  product={goods.get(line.productId)}
                  pieces={view.pieces.get(line.id)}
                  onWhy={() => onWhy(isOpen ? undefined : line.id)}
                />
                {isOpen && (
                  <tr className="why" id={`why-${line.id}`}>
                    <td colSpan={hasDiscount ? 6 : 5}>
                      <Why {...{ view, line, index }} />
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
        <Sums view={view} columns={hasDiscount ? 5 : 4} />
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
  hasDiscount: boolean
  onWhy: () => void
}

function Line({ line, currency, product, pieces, isOpen, hasDiscount, onWhy }: LineProps) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const picture = product?.variants.find(({ id }) => id === line.variantId)?.gallery?.[0] ?? product?.gallery?.[0]
  const { name } = line
  return (
    <tr className={isOpen ? 'open' : ''}>
      <td>
        <span className="thing">
          {picture ? (
            <img className="thumb big" src={picture.url} alt="" loading="lazy" />
          ) : (
            <span className="thumb big" aria-hidden="true" />
          )}
          <span>
            <Link className="strong" to="/$business/products/$product" params={{ business, product: line.productId }}>
              <span className="only-phone">{line.quantity} × </span>
              {name}
            </Link>
            <br />
            <span className="note">{[line.sku, ...usePieceWords(line, pieces)].filter(Boolean).join(' · ')}</span>
            {pieces && pieces.asked > 0 && (
              <span className="note wait-text">
                {' · '}
                <Trans>{pieces.asked} asked back, not yet known</Trans>
              </span>
            )}
            <span className="only-phone">
              <AskWhy {...{ name, isOpen, onWhy }} controls={`why-${line.id}`} />
            </span>
          </span>
        </span>
      </td>
      <td className="num q">
        <Money amount={line.unitPrice} currency={currency} />
        <br />
        <AskWhy {...{ name, isOpen, onWhy }} controls={`why-${line.id}`} />
      </td>
      <td className="num q">{line.quantity}</td>
      {hasDiscount && (
        <td className="num q roomy">
          {line.discount > 0 ? (
            <Money amount={-line.discount} currency={currency} />
          ) : (
            <span className="soft">{t`none`}</span>
          )}
        </td>
      )}
      <td className="num q roomy soft">
        <Money amount={line.tax} currency={currency} />
      </td>
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
