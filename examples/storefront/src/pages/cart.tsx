import { FormProblem, Notice, wordsOf } from '../parts/notices.tsx'
import { Picture } from '../parts/picture.tsx'
import { PromoCode } from '../parts/promo-code.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { ShippingChoice } from '../parts/shipping-choice.tsx'
import { Summary } from '../parts/summary.tsx'
import { useTitle } from '../parts/title.ts'
import { type CartLine, mostOf, setQuantity, useCart } from '../state/cart.ts'
import { money } from '../state/catalog.ts'
import { lineProblem, useQuote } from '../state/quote.ts'
import { usePlace } from '../state/router.ts'

export function CartPage() {
  useTitle('Cart')
  const cart = useCart()
  const { query } = usePlace()
  const { value, error, reload, market, request } = useQuote()
  if (cart.length === 0) {
    return (
      <Notice title="Your cart is empty" action={{ href: '/shop', label: 'Look around' }}>
        What you put in stays here, also when you close the window.
      </Notice>
    )
  }
  const quote = error ? undefined : value?.quote
  const isAboutLine = error && cart.some((_, index) => lineProblem(error, index))
  return (
    <div class="wrap section">
      <h1>Cart</h1>
      {query.has('orderId') && <p class="remark">Nothing was paid. Your things are still here.</p>}
      <div class="two">
        <ul class="lines">
          {cart.map((line, index) => (
            <Line
              key={line.productId + line.variantId}
              line={line}
              problem={lineProblem(error, index)}
              total={quote?.lines[index] && money(quote.lines[index].totalPrice, quote.currency)}
            />
          ))}
        </ul>
        <section class="panel" aria-label="What it costs">
          <ShippingChoice market={market} quote={quote} />
          <PromoCode
            request={request}
            problem={value?.promoProblem ?? ''}
            isApplied={Boolean(quote && quote.discount > 0)}
          />
          <Summary figures={quote} />
          {error && (
            <FormProblem>
              {isAboutLine ? 'Something in your cart cannot be bought here. Take it out, then go on.' : wordsOf(error)}
              {!isAboutLine && (
                <button type="button" class="link" onClick={reload}>
                  Try again
                </button>
              )}
            </FormProblem>
          )}
          {error ? (
            <button class="button wide" type="button" disabled>
              Check out
            </button>
          ) : (
            <a class="button wide" href="/checkout">
              Check out
            </a>
          )}
        </section>
      </div>
    </div>
  )
}

function Line({ line, problem, total }: { line: CartLine; problem: string; total: string | undefined }) {
  const href = `/products/${line.slug}?variant=${encodeURIComponent(line.variantId)}`
  return (
    <li>
      <a href={href} tabIndex={-1} aria-hidden="true">
        <Picture media={line.image} alt="" size={160} />
      </a>
      <div class="line-words">
        <a href={href}>{line.name}</a>
        {line.variantName && <small>{line.variantName}</small>}
        {problem && (
          <small class="problem" role="alert">
            {problem}
          </small>
        )}
        <div class="line-tools">
          <Quantity
            label={`How many of ${line.name}`}
            value={line.quantity}
            most={mostOf(line)}
            onValue={(quantity) => setQuantity(line, quantity)}
          />
          <button class="link" type="button" onClick={() => setQuantity(line, 0)}>
            Remove<span class="unseen"> {line.name}</span>
          </button>
        </div>
      </div>
      <span class="line-total">{total ?? (problem ? '' : <span class="bar" />)}</span>
    </li>
  )
}
