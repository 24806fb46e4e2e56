import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../../session/use-business.ts'

/** Leads to the statement of a variant: every movement of its stock. */
export function StockLink({ product, variant }: { product: string; variant: string }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  return (
    <Link className="link" to="/$business/stock/$product/$variant" params={{ business, product, variant }}>
      {t`Stock statement`}
    </Link>
  )
}
