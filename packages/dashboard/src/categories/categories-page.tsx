import './categories.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronsDownUp, ChevronsUpDown, Plus } from 'lucide-react'
import { useEffect } from 'react'
import { UpToDate } from '../live/up-to-date.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useLatest } from '../ui/use-latest.ts'
import { CategoryTree } from './category-tree.tsx'
import { DeleteCategory } from './delete-category.tsx'
import { NewCategory } from './new-category.tsx'
import { aboveOf, belowOf, type Place } from './tree.ts'
import { useClosed } from './use-closed.ts'
import { useRename } from './use-rename.tsx'
import { useTree } from './use-tree.ts'

const route = getRouteApi('/signed-in/$business/categories')

/** The tree that shops show their goods in: each can be moved, by keys and by hand. */
export function CategoriesPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason } = usePermissions()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { tree, move, waiting, sheet, isPending, isError, error, refetch } = useTree()
  // Undo is pressed later, when the tree is another.
  const moveNow = useLatest(move)
  const { closed, toggle, open, close } = useClosed(business.id)
  const { rename, sheet: renameSheet } = useRename()
  const at = search.at
  const count = tree.nodes.size
  const show = (next: typeof search) =>
    void navigate({ search: next, replace: next.do === undefined, resetScroll: false })
  const parents = [...tree.nodes.keys()].filter((id) => belowOf(tree, id).length > 0)
  const isClosed = parents.length > 0 && parents.every((id) => closed.has(id))
  const foldAll = () => (isClosed ? open(parents) : close(parents))
  const lacks = reason('PRODUCTS_WRITE')
  const chosen = tree.nodes.get(at ?? '')

  // The row of the address is in sight, whatever was closed; what one closes after that stays closed.
  const isRead = count > 0
  useEffect(() => {
    if (at !== undefined && isRead) open(aboveOf(tree, at).map(({ id }) => id))
  }, [at, isRead])
  useCommands([
    {
      id: 'new-category',
      label: t`New category`,
      keys: 'n',
      icon: Plus,
      reason: lacks,
      run: () => show({ at, do: 'new' }),
    },
    { id: 'fold-categories', label: isClosed ? t`Open all` : t`Close all`, icon: ChevronsUpDown, run: foldAll },
  ])
  const moveAndSay = (id: string, place: Place, isByHand: boolean) => {
    const node = tree.nodes.get(id)
    const siblings = belowOf(tree, node?.parentId ?? null)
    const back: Place = {
      parentId: node?.parentId ?? null,
      beforeId: (node && siblings[siblings.indexOf(node) + 1]?.id) ?? null,
    }
    move(id, place)
    open([place.parentId ?? ''])
    if (isByHand && node) toast(t`${node.name} moved`, { action: { label: t`Undo`, run: () => moveNow(id, back) } })
  }
  return (
    <>
      <Head title={t`Categories`} facts={<UpToDate />}>
        {parents.length > 0 && (
          <Button icon={isClosed ? ChevronsUpDown : ChevronsDownUp} onClick={foldAll}>
            {isClosed ? t`Open all` : t`Close all`}
          </Button>
        )}
        <Button
          look="main"
          icon={Plus}
          reason={lacks}
          onClick={() => show({ at, do: 'new' })}
        >{t`New category`}</Button>
      </Head>
      {isPending ? (
        <Bones rows={12} columns={3} />
      ) : isError && count === 0 ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : count === 0 ? (
        <div className="page">
          <Empty
            title={t`No categories yet`}
            action={<Button look="main" icon={Plus} onClick={() => show({ do: 'new' })}>{t`New category`}</Button>}
          >
            {t`Categories are the shelves of the shop. Products name one; shops show them as a tree.`}
          </Empty>
        </div>
      ) : (
        <>
          <CategoryTree
            {...{ tree, waiting, at, closed }}
            onAt={(id) => show({ at: id })}
            onToggle={toggle}
            onOpenAll={open}
            onMove={moveAndSay}
            onRename={(id, name) => {
              const node = tree.nodes.get(id)
              if (node) void rename(node, name)
            }}
            onOpen={(category) =>
              void navigate({ to: '/$business/categories/$category', params: (now) => ({ ...now, category }) })
            }
            onNew={(id) => show({ at: id, do: 'new' })}
            onDelete={(id) => show({ at: id, do: 'delete' })}
          />
          <Keys count={count} />
        </>
      )}
      {search.do === 'new' && !isPending && (
        <NewCategory tree={tree} below={at} onClose={(made) => show({ at: made ?? at })} />
      )}
      {search.do === 'delete' && chosen && (
        <DeleteCategory tree={tree} node={chosen} onClose={() => show({ at })} onDeleted={() => show({})} />
      )}
      {sheet}
      {renameSheet}
    </>
  )
}

const Keys = ({ count }: { count: number }) => (
  <p className="key-line note">
    <span>
      <Plural value={count} one="# category" other="# categories" />
    </span>
    <span className="hide-phone">
      <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> <Trans>move</Trans>
    </span>
    <span className="hide-phone">
      <kbd>Alt</kbd> <kbd>→</kbd> <Trans>into the one before</Trans>
    </span>
    <span className="hide-phone">
      <kbd>Alt</kbd> <kbd>←</kbd> <Trans>out</Trans>
    </span>
    <span className="hide-phone">
      <kbd>F2</kbd> <Trans>rename</Trans>
    </span>
    <span className="hide-phone">
      <kbd>Enter</kbd> <Trans>open</Trans>
    </span>
    <span className="hide-phone">
      <kbd>Del</kbd> <Trans>delete</Trans>
    </span>
  </p>
)
