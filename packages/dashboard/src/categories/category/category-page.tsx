import '../categories.css'
import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronRight, Trash2 } from 'lucide-react'
import { useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { DeleteCategory } from '../delete-category.tsx'
import { categoryQuery } from '../queries.ts'
import { aboveOf } from '../tree.ts'
import { useTree } from '../use-tree.ts'
import { TextsForm } from './texts-form.tsx'

const route = getRouteApi('/signed-in/$business/categories/$category')

/** One category: its texts in every language, where it has its place, what is in it. */
export function CategoryPage() {
  const { t } = useLingui()
  const { category: id } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const business = useBusiness()
  const { reason } = usePermissions()
  const { data: category, error, refetch } = useQuery(categoryQuery(business.id, id))
  const { tree, sheet } = useTree()
  const node = tree.nodes.get(id)
  const isAsked = useAsked(id).length > 0
  const name = category?.name ?? t`Category`
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: (now) => ({ ...now, do: isOpen ? 'delete' : undefined }), replace: !isOpen })
  usePageTitle(name)
  useCommands([
    {
      id: 'delete-category',
      label: t`Delete this category`,
      icon: Trash2,
      reason: reason('PRODUCTS_WRITE'),
      run: () => showDelete(true),
    },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/categories" params={(now) => now} search={{ at: id }}>{t`Categories`}</route.Link>
          {aboveOf(tree, id).map((above) => (
            <span key={above.id} className="crumbs">
              <Icon of={ChevronRight} />
              <route.Link to="/$business/categories/$category" params={(now) => ({ ...now, category: above.id })}>
                {above.name}
              </route.Link>
            </span>
          ))}
        </nav>
        <h1>{name}</h1>
        <div className="facts-line soft">
          {isAsked ? (
            <Status fill="unknown" tone="wait">{t`Processing…`}</Status>
          ) : (
            node && <Plural value={node.products} one="# product" other="# products" />
          )}
        </div>
        <div className="acts tight">
          {node && (
            <Button
              look="destroy"
              icon={Trash2}
              reason={reason('PRODUCTS_WRITE')}
              onClick={() => showDelete(true)}
            >{t`Delete`}</Button>
          )}
        </div>
      </header>
      {category ? (
        <TextsForm key={id} category={category} products={node?.products ?? 0} tree={tree} />
      ) : error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={6} columns={3} />
      )}
      {node && search.do === 'delete' && (
        <DeleteCategory
          {...{ tree, node }}
          onClose={() => showDelete(false)}
          onDeleted={() => void navigate({ to: '/$business/categories', params: (now) => now, search: {} })}
        />
      )}
      {sheet}
    </>
  )
}
