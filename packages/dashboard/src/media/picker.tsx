import './media.css'
import type { Answer } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { usePages } from '../api/use-pages.ts'
import { useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { FindField } from '../ui/find-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Problem } from '../ui/problem.tsx'
import { DropVeil } from './drop-veil.tsx'
import { GridBones } from './grid-bones.tsx'
import { MediaGrid } from './media-grid.tsx'
import { isPicture } from './picture.ts'
import { picturePages } from './queries.ts'
import { UploadButtons } from './upload/upload-buttons.tsx'
import { UploadList } from './upload/upload-list.tsx'
import { useIntake } from './upload/use-intake.ts'
import { useUpload, useUploads } from './upload/use-uploads.ts'

type MediaFile = Answer<'getMedia'>

type Props = {
  title: string
  /** Several, in the order in which they are picked; otherwise the first that is picked is it. */
  isMany?: boolean
  /** Ids of files that are there already. */
  taken?: readonly string[]
  onPick: (files: MediaFile[]) => void
  onClose: () => void
}

/** Pictures of the library to choose from; new ones are uploaded here, and picked as soon as they are ready. */
export function Picker({ title, isMany = false, taken = [], onPick, onClose }: Props) {
  const { t } = useLingui()
  const { id } = useBusiness()
  const [query, setQuery] = useState('')
  const list = usePages(picturePages(id, query))
  const [picked, setPicked] = useState<readonly MediaFile[]>([])
  const toggle = (file: MediaFile) => {
    if (!isMany) return onPick([file])
    setPicked((before) =>
      before.some((one) => one.id === file.id) ? before.filter((one) => one.id !== file.id) : [...before, file],
    )
  }
  const { begin, uploads } = useOwnUploads((file) => {
    if (isMany && isPicture(file) && !taken.includes(file.id))
      setPicked((before) => [...before.filter((one) => one.id !== file.id), file])
  })
  const isOver = useIntake(begin)
  const foot = isMany && (
    <div className="picker-foot">
      <span className="soft" role="status">
        {picked.length > 0 ? (
          <Plural value={picked.length} one="# picture picked" other="# pictures picked" />
        ) : (
          <Trans>Pick some, in the order in which they are to be shown.</Trans>
        )}
      </span>
      <Button
        look="main"
        reason={picked.length === 0 ? t`Pick a picture first.` : undefined}
        onClick={() => onPick([...picked])}
      >
        {t`Add ${picked.length}`}
      </Button>
    </div>
  )
  return (
    <Sheet
      open
      wide
      title={title}
      onClose={onClose}
      foot={foot}
      initialFocus={() => document.querySelector<HTMLElement>('.picker-tools input[type=search]')}
    >
      <div className="picker-tools">
        <FindField
          label={t`Find pictures`}
          placeholder={t`Name, alt text or tag`}
          value={query}
          onChange={(text) => setQuery(text.trim())}
        />
        <span className="end">
          <UploadButtons onFiles={begin} isPictures />
        </span>
      </div>
      {uploads.length > 0 && <UploadList uploads={uploads} isLinked={false} />}
      {list.error && <Problem error={list.error} onRetry={list.retry} />}
      {list.isFirst && <GridBones tiles={9} />}
      {list.isEmpty && (
        <Empty title={query ? t`No picture fits` : t`No pictures yet`}>
          {query ? t`Another word may find it.` : t`Upload some here, drop them, or paste them.`}
        </Empty>
      )}
      <MediaGrid
        label={t`Pictures`}
        files={list.rows}
        tile={(file, content) => (
          <PickTile
            {...{ file, content }}
            at={isMany ? picked.findIndex((one) => one.id === file.id) : -1}
            isTaken={taken.includes(file.id)}
            onPick={() => toggle(file)}
          />
        )}
        onEnd={() => {
          if (list.hasMore && !list.isLoadingMore && !list.error) void list.loadMore()
        }}
      />
      {isOver && <DropVeil>{t`Let go to upload`}</DropVeil>}
    </Sheet>
  )
}

type TileProps = { file: MediaFile; content: ReactNode; at: number; isTaken: boolean; onPick: () => void }

function PickTile({ file, content, at, isTaken, onPick }: TileProps) {
  const { t } = useLingui()
  const reason = isTaken
    ? t`Already added`
    : isPicture(file)
      ? undefined
      : t`Only pictures that are ready can be picked.`
  return (
    <button
      type="button"
      className={at >= 0 ? 'media-tile picked' : 'media-tile'}
      data-tile
      aria-pressed={at >= 0}
      aria-disabled={reason ? true : undefined}
      title={reason}
      onClick={() => {
        if (!reason) onPick()
      }}
    >
      {at >= 0 && <span className="pick-mark">{at + 1}</span>}
      {isTaken && (
        <span className="pick-mark off">
          <Icon of={Check} />
        </span>
      )}
      {content}
    </button>
  )
}

/** Uploads that were begun here; each is told once, when it is ready. */
function useOwnUploads(onReady: (file: MediaFile) => void) {
  const upload = useUpload()
  const [ids, setIds] = useState<readonly string[]>([])
  const [told, setTold] = useState<ReadonlySet<string>>(new Set())
  const uploads = useUploads().filter(({ id }) => ids.includes(id))
  const ready = uploads.filter(({ id, media }) => media && !told.has(id))
  useEffect(() => {
    if (ready.length === 0) return
    setTold((before) => new Set([...before, ...ready.map(({ id }) => id)]))
    for (const { media } of ready) if (media) onReady(media)
  })
  const begin = (files: readonly File[]) => setIds((before) => [...before, ...upload(files)])
  return { uploads, begin }
}
