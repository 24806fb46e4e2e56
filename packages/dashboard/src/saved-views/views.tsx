import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Pencil, Trash2, Users } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useColleagues } from '../session/use-colleagues.ts'
import { useSigned } from '../session/use-signed.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { NameForm } from './name-form.tsx'
import { type SavedView, savedViewsQuery, type ViewState } from './queries.ts'
import { useChangeView } from './use-change-view.ts'

type LinkProps = { children: ReactNode; 'aria-current': 'page' | undefined; title: string | undefined }

type Props = {
  list: SavedView['list']
  /** What the list shows now. */
  shown: ViewState
  /** The view that the address names. */
  openId: string | undefined
  /** Whether one of the tabs that are always there shows the same: then there is nothing to save. */
  isBuiltIn: boolean
  isSame: (one: ViewState, other: ViewState) => boolean
  link: (view: SavedView, props: LinkProps) => ReactNode
  onOpen: (view: SavedView | undefined) => void
  /** The tabs that are always there. */
  children: ReactNode
}

type Naming = { of: SavedView | undefined; name: string; isShared: boolean }

/** Ways to see a list: those that are always there, one's own, and those that colleagues share. Each is an address. */
export function Views({ list, shown, openId, isBuiltIn, isSame, link, onOpen, children }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const userId = useSigned()?.userId
  const isAdmin = usePermissions().may('ADMIN')
  const colleague = useColleagues()
  const wordsOf = useProblem()
  const change = useChangeView(list)
  const [naming, setNaming] = useState<Naming>()
  const views = (useQuery(savedViewsQuery(businessId, list)).data?.items ?? []).toReversed()
  const open = views.find(({ id }) => id === openId)
  const isMine = open !== undefined && (open.authorId === userId || isAdmin)
  const isChanged = open ? !isSame(open, shown) : !isBuiltIn
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone the open tab may be out of sight.
    if (open?.id) row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [open?.id])
  const sharedBy = (name: string | undefined) => (name ? t`${name} shares this view` : t`A colleague shares this view`)
  const begin = (of?: SavedView) => setNaming({ of, name: of?.name ?? '', isShared: of?.isShared ?? false })

  /** A colleague may have deleted it meanwhile: then it can be saved anew, under its name. */
  const tryIt = async (view: SavedView, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof KontorError) || error.status !== 404)
        return toast(t`Couldn’t save. ${wordsOf(error).what}`)
      toast(t`Somebody has deleted ${view.name}. You can save it again.`)
      setNaming({ of: undefined, name: view.name, isShared: view.isShared })
    }
  }
  const save = async (named: { name: string; isShared: boolean }) => {
    if (naming?.of) await change.update(naming.of, named)
    else onOpen(await change.create({ ...shown, ...named }))
    setNaming(undefined)
  }
  const share = (view: SavedView) => tryIt(view, () => change.update(view, { isShared: !view.isShared }))
  const remove = async (view: SavedView) => {
    const { name, filters, columns, isShared } = view
    try {
      await change.remove(view)
    } catch (error) {
      return toast(t`Couldn’t delete. ${wordsOf(error).what}`)
    }
    onOpen(undefined)
    const restore = () => void change.create({ name, filters, columns, isShared }).then(onOpen)
    toast(t`View ${name} deleted`, { action: { label: t`Undo`, run: restore } })
  }
  return (
    <div ref={row} className={naming ? 'views naming' : 'views'}>
      <Tabs label={t`Views`}>
        {children}
        {views.map((view) => (
          <Fragment key={view.id}>
            {link(view, {
              'aria-current': view === open ? 'page' : undefined,
              title: view.authorId === userId ? undefined : sharedBy(colleague(view.authorId)),
              children: (
                <>
                  {view.name}
                  {view.isShared && (
                    <>
                      <Icon of={Users} />
                      <span className="unseen">{t`shared`}</span>
                    </>
                  )}
                  {view === open && isChanged && (
                    <span className="changed">
                      <span className="unseen">{t`changed`}</span>
                    </span>
                  )}
                </>
              ),
            })}
            {view === open && isMine && !naming && (
              <Menu trigger={<Button look="quiet small" icon={Ellipsis} only={t`Change this view`} />}>
                <MenuItem icon={Pencil} onClick={() => begin(view)}>{t`Rename`}</MenuItem>
                <MenuItem icon={Users} onClick={() => void share(view)}>
                  {view.isShared ? t`Stop sharing` : t`Share with the whole team`}
                </MenuItem>
                <MenuItem icon={Trash2} onClick={() => void remove(view)}>{t`Delete`}</MenuItem>
              </Menu>
            )}
          </Fragment>
        ))}
      </Tabs>
      {naming ? (
        <NameForm
          key={naming.of?.id ?? naming.name}
          before={naming}
          onSave={save}
          onCancel={() => setNaming(undefined)}
        />
      ) : (
        isChanged && (
          <span className="acts">
            {isMine && (
              <Button look="small" onClick={() => void tryIt(open, () => change.update(open, shown))}>
                {t`Update view`}
              </Button>
            )}
            <Button look={isMine ? 'quiet small' : 'small'} onClick={() => begin()}>
              {open ? t`Save as new` : t`Save view`}
            </Button>
          </span>
        )
      )}
      {change.sheet}
    </div>
  )
}
