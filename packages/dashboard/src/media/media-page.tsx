import './media.css'
import type { Answer } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePages } from '../api/use-pages.ts'
import { UpToDate } from '../live/up-to-date.tsx'
import { useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { FindField } from '../ui/find-field.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { DropVeil } from './drop-veil.tsx'
import { GridBones } from './grid-bones.tsx'
import { MediaGrid, tilesIn } from './media-grid.tsx'
import { mediaPages } from './queries.ts'
import { CLEARED, hasFilters, KINDS, type MediaSearch, SORTS, type Sort } from './search.ts'
import { UploadButtons } from './upload/upload-buttons.tsx'
import { useIntake } from './upload/use-intake.ts'
import { useUpload } from './upload/use-uploads.ts'

const route = getRouteApi('/signed-in/$business/media')

/** All files of the business. */
export function MediaPage() {
  const { t } = useLingui()
  const { business } = route.useParams()
  const { id } = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changes: MediaSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false })
  const list = usePages(mediaPages(id, search))
  const { rows: files } = list
  const upload = useUpload()
  const isOver = useIntake(upload)
  useTileKeys()
  return (
    <>
      <Head
        title={t`Media`}
        facts={
          <>
            <UpToDate />
            {list.hasNewer && (
              <button type="button" className="link" onClick={list.showNewer}>{t`Show what is new`}</button>
            )}
          </>
        }
      >
        <UploadButtons look="main" onFiles={upload} />
      </Head>
      <KindTabs search={search} />
      <div className="tools">
        <FindField
          label={t`Find files`}
          placeholder={t`Name, alt text or tag`}
          value={search.query ?? ''}
          onChange={(query) => change({ query: query.trim() || undefined }, true)}
        />
        <button
          type="button"
          className="chip add media-toggle"
          aria-pressed={search.unused !== undefined}
          onClick={() => change({ unused: search.unused ? undefined : 'true' })}
        >{t`Unused`}</button>
        <span className="end">
          <SortSelect value={search.sort} onChange={(sort) => change({ sort }, true)} />
        </span>
      </div>
      {list.error && (
        <div className="page pt-2">
          <Problem
            error={list.error}
            kept={files.length > 0 ? t`Below is what was known before.` : ''}
            onRetry={list.retry}
          />
        </div>
      )}
      {list.isFirst && <GridBones />}
      {list.isEmpty && (
        <div className="page">
          <Nothing search={search} onClear={() => change(CLEARED)} />
        </div>
      )}
      {(files.length > 0 || list.hasMore) && (
        <div className="page">
          <MediaGrid
            label={t`Files`}
            files={files}
            tile={(file, content) => <OpenTile {...{ file, business, content }} />}
            onEnd={() => {
              if (list.hasMore && !list.isLoadingMore && !list.error) void list.loadMore()
            }}
          />
          <p className="note mt-4" role="status">
            {list.hasMore ? (
              <Trans>More than {files.length} files</Trans>
            ) : (
              <Plural value={files.length} one="# file" other="# files" />
            )}
          </p>
        </div>
      )}
      {isOver && <DropVeil>{t`Let go to upload`}</DropVeil>}
    </>
  )
}

type TileProps = { file: Answer<'getMedia'>; business: string; content: ReactNode }

function OpenTile({ file: { id }, business, content }: TileProps) {
  return (
    <RowLink
      target={{ to: '/$business/media/$file', params: { business, file: id } }}
      href={`/${business}/media/${id}`}
      className="media-tile"
      isTile
    >
      {content}
    </RowLink>
  )
}

function KindTabs({ search }: { search: MediaSearch }) {
  const { t } = useLingui()
  const names = { image: t`Pictures`, video: t`Videos`, audio: t`Audio`, document: t`Documents` }
  const current = (is: boolean) => (is ? ('page' as const) : undefined)
  return (
    <Tabs label={t`Kinds of files`}>
      <route.Link
        to="."
        search={(now) => ({ ...now, type: undefined })}
        activeOptions={{ exact: true }}
        aria-current={current(search.type === undefined)}
      >
        {t`All`}
      </route.Link>
      {KINDS.map((kind) => (
        <route.Link
          key={kind}
          to="."
          search={(now) => ({ ...now, type: kind })}
          aria-current={current(search.type === kind)}
        >
          {names[kind]}
        </route.Link>
      ))}
    </Tabs>
  )
}

function SortSelect({ value, onChange }: { value: Sort | undefined; onChange: (sort: Sort | undefined) => void }) {
  const { t } = useLingui()
  const names: Record<Sort, string> = {
    '-createdAt': t`Newest first`,
    createdAt: t`Oldest first`,
    fileName: t`By name`,
    '-size': t`Largest first`,
  }
  return (
    <select
      className="select media-sort"
      aria-label={t`Sort by`}
      value={value ?? SORTS[0]}
      onChange={({ target }) => onChange(target.value === SORTS[0] ? undefined : (target.value as Sort))}
    >
      {SORTS.map((sort) => (
        <option key={sort} value={sort}>
          {names[sort]}
        </option>
      ))}
    </select>
  )
}

/** `j` and `k` go from tile to tile as they go from row to row in a list; the arrows do it once a tile has the focus. */
function useTileKeys() {
  const { t } = useLingui()
  const go = (step: number) => {
    const tiles = tilesIn(document)
    const at = tiles.indexOf(document.activeElement as HTMLElement)
    tiles[Math.max(0, Math.min(tiles.length - 1, at + step))]?.focus()
  }
  useCommands([
    { id: 'next-file', label: t`The next file`, keys: 'j', inPalette: false, run: () => go(1) },
    { id: 'file-before', label: t`The file before`, keys: 'k', inPalette: false, run: () => go(-1) },
  ])
}

function Nothing({ search, onClear }: { search: MediaSearch; onClear: () => void }) {
  const { t } = useLingui()
  if (hasFilters(search))
    return (
      <Empty title={t`No file fits`} action={<Button onClick={onClear}>{t`Take the filters off`}</Button>}>
        {search.unused && !search.query ? (
          <Trans>Every file of this kind is shown somewhere.</Trans>
        ) : (
          <Trans>Files are found by the words of their names, alt texts and tags.</Trans>
        )}
      </Empty>
    )
  return (
    <Empty title={t`No files yet`}>
      <Trans>
        Pictures of what you sell, and whatever else your pages show. Drop them anywhere on this page, paste them, or
        choose them with the button above.
      </Trans>
    </Empty>
  )
}
