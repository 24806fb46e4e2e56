import type { Answer } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { usagesQuery } from '../queries.ts'

export type Usage = Answer<'listMediaUsages'>['items'][number]

/** Which records show it, each a link to its page. */
export function Usages({ id }: { id: string }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { data } = useQuery(usagesQuery(business.id, id))
  return (
    <section>
      <h2>{t`Shown in`}</h2>
      {data && data.items.length === 0 && <p className="note">{t`Nothing shows it yet.`}</p>}
      <UsageList usages={data?.items ?? []} />
      {data?.cursor && (
        <p className="note mt-2">
          <Trans>and more than {data.items.length} in all</Trans>
        </p>
      )}
    </section>
  )
}

export const UsageList = ({ usages }: { usages: readonly Usage[] }) => (
  <ul className="usages text-table">
    {usages.map((usage) => (
      <li key={`${usage.kind} ${usage.id}`}>
        <UsageLine usage={usage} />
      </li>
    ))}
  </ul>
)

/** Whoever may not open products is told of them by kind only: nothing is asked that would be refused. */
function UsageLine({ usage: { kind, id } }: { usage: Usage }) {
  const { t } = useLingui()
  const place = useBusiness()
  const business = addressOf(place)
  const mayOpen = usePermissions().may('PRODUCTS_WRITE')
  const product = useQuery({
    ...query(place.id, 'getProduct', { path: { id } }),
    enabled: mayOpen && kind === 'PRODUCT',
  })
  const category = useQuery({
    ...query(place.id, 'getCategory', { path: { id } }),
    enabled: mayOpen && kind === 'CATEGORY',
  })
  const kinds = { PRODUCT: t`Product`, CATEGORY: t`Category`, ENTRY: t`Entry`, BUSINESS: t`Logo` }
  const name = product.data?.name ?? category.data?.name ?? id
  return (
    <>
      <span className="soft">{kinds[kind]}</span>
      {mayOpen && kind === 'PRODUCT' ? (
        <Link to="/$business/products/$product" params={{ business, product: id }} className="link cut">
          {name}
        </Link>
      ) : mayOpen && kind === 'CATEGORY' ? (
        <Link to="/$business/categories/$category" params={{ business, category: id }} className="link cut">
          {name}
        </Link>
      ) : (
        <span className="cut">{kind === 'BUSINESS' ? place.name : id}</span>
      )}
    </>
  )
}
