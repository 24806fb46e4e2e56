import type { Answer } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { When } from '../../ui/time.tsx'
import { ProductsLink } from '../products-link.tsx'
import { aboveOf, belowOf, countProducts, type Tree } from '../tree.ts'

const route = getRouteApi('/signed-in/$business/categories/$category')
const MOST_SHOWN = 8

type Props = { tree: Tree; category: Answer<'getCategory'>; picture: ReactNode }

export function Facts({ tree, category, picture }: Props) {
  const { t } = useLingui()
  const { id, updatedAt } = category
  const below = belowOf(tree, id)
  const own = tree.nodes.get(id)?.products ?? 0
  const all = countProducts(tree, id)
  const parent = aboveOf(tree, id).at(-1)
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <section>
        <h2>{t`Products`}</h2>
        <dl className="pairs">
          <dt>{below.length > 0 ? t`With all below it` : t`In it`}</dt>
          <dd>
            {all > 0 ? (
              <ProductsLink id={id} className="link">
                <Plural value={all} one="# product" other="# products" />
              </ProductsLink>
            ) : (
              t`no product`
            )}
          </dd>
          {below.length > 0 && (
            <>
              <dt>{t`Right in it`}</dt>
              <dd>{own}</dd>
            </>
          )}
        </dl>
      </section>
      <section>
        <h2>{t`Place`}</h2>
        <dl className="pairs">
          <dt>{t`In`}</dt>
          <dd>{parent?.name ?? t`The top level`}</dd>
          <dt>{t`Changed`}</dt>
          <dd>
            <When at={updatedAt} />
          </dd>
        </dl>
        <p className="after text-table">
          <route.Link to="/$business/categories" params={(now) => now} search={{ at: id }} className="link">
            {t`Move it in the tree`}
          </route.Link>
        </p>
      </section>
      {below.length > 0 && (
        <section>
          <h2>{t`Below it`}</h2>
          <ul className="lines">
            {below.slice(0, MOST_SHOWN).map((child) => (
              <li key={child.id} className="apart">
                <route.Link
                  to="/$business/categories/$category"
                  params={(now) => ({ ...now, category: child.id })}
                  className="link"
                >
                  {child.name}
                </route.Link>
                <span className="soft">{child.products}</span>
              </li>
            ))}
            {below.length > MOST_SHOWN && <li className="note">{t`and ${below.length - MOST_SHOWN} more`}</li>}
          </ul>
        </section>
      )}
      {picture}
    </aside>
  )
}
