import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'
import { useBusiness } from '../session/use-business.ts'
import { Chip } from '../ui/chip.tsx'

type Props = { productId: string[] | undefined; variantId: string[] | undefined; onRemove: () => void }

/** Names what the orders have in a line; its id until that is known, or where it is gone. */
export function GoodsChip({ productId, variantId, onRemove }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { data } = useQuery({
    ...query(businessId, 'listProducts', { query: { id: productId ?? [] } }),
    enabled: productId !== undefined,
    retry: false,
  })
  const nameOf = (id: string) => {
    const product = data?.items.find((one) => one.id === id)
    const variants = product?.variants.filter((variant) => variantId?.includes(variant.id)) ?? []
    const names = variants.map(({ name }) => name).filter(Boolean)
    return product ? [product.name, ...names].join(', ') : (variantId?.join(', ') ?? id)
  }
  return (
    <Chip name={t`With`} onRemove={onRemove}>
      {productId ? productId.map(nameOf).join('; ') : variantId?.join(', ')}
    </Chip>
  )
}
