import type { Market } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { query } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Money } from '../../ui/money.tsx'
import type { NewLine } from './draft.ts'
import { Finder, type Found } from './finder.tsx'

const MOST = 12

type Props = { market: Market; onAdd: (line: NewLine) => void; problem?: string | undefined }

/** Finds a variant by words of its product or by its SKU. What is not sold in the market or is gone says so. */
export function ChooseGoods({ market, onAdd, problem }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [text, setText] = useState('')
  const typed = useDeferredValue(text.trim())
  const { data, isFetching } = useQuery({
    ...query(businessId, 'listProducts', { query: { query: typed, limit: 5 } }),
    enabled: typed.length > 1,
    placeholderData: keepPreviousData,
  })
  const variants = (typed.length > 1 ? (data?.items ?? []) : []).flatMap(({ id: productId, name, variants }) =>
    variants.map((variant) => ({ productId, productName: name, variant })),
  )
  const found: Found[] = variants.slice(0, MOST).map(({ productId, productName, variant }) => {
    const price = variant.pricing.markets.find(({ marketId }) => marketId === market.id)
    const { tracked, quantity } = variant.inventory
    return {
      id: `${productId}/${variant.id}`,
      label: [productName, variant.name].filter(Boolean).join(', '),
      note: [variant.sku, tracked ? t`${quantity} in stock` : t`not counted`].filter(Boolean).join(' · '),
      end: price && <Money amount={price.price} currency={price.currency} />,
      reason: price ? (tracked && quantity === 0 ? t`sold out` : undefined) : t`no price for ${market.name}`,
    }
  })
  const add = (id: string) => {
    const chosen = variants.find(({ productId, variant }) => `${productId}/${variant.id}` === id)
    if (!chosen) return
    const { productId, productName, variant } = chosen
    setText('')
    onAdd({
      productId,
      variantId: variant.id,
      quantity: 1,
      name: [productName, variant.name].filter(Boolean).join(', '),
      sku: variant.sku ?? '',
    })
  }
  return (
    <Finder
      label={t`Find goods`}
      placeholder={t`Product or SKU`}
      found={found}
      isSearching={isFetching || typed !== text.trim()}
      {...{ text, problem }}
      onType={setText}
      onChoose={add}
    />
  )
}
