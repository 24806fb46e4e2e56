import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ArrowUp, ImagePlus, Plus, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { toItem } from '../../media/picture.ts'
import { fileQuery } from '../../media/queries.ts'
import { Thumb } from '../../media/thumb.tsx'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import type { Block } from '../queries.ts'
import type { MediaItem } from './form.ts'

const Picker = lazy(() => import('../../media/picker.tsx').then(({ Picker }) => ({ default: Picker })))
const PREVIEW_PX = 96

type Props = {
  block: Block
  label: ReactNode
  name: string
  value: MediaItem[]
  edited: boolean
  problem: string | undefined
  isLocked: boolean
  onChange: (items: MediaItem[]) => void
}

const KINDS: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  pdf: 'application/pdf',
}

/** By the end of its name; else what the block takes, so that it is not refused for a guess. */
export function kindOf(url: string, accept: readonly string[] = []): string {
  const end = /\.(\w+)(?:[?#]|$)/.exec(url.split('/').at(-1) ?? '')?.[1]?.toLowerCase() ?? ''
  const exact = accept.find((one) => !one.endsWith('/*'))
  return KINDS[end] ?? exact ?? (accept.includes('video/*') ? 'video/mp4' : 'image/jpeg')
}

/** Pictures of the library, and files by their addresses, in their order. */
export function MediaField({ block, label, name, value, edited, problem, isLocked, onChange }: Props) {
  const { t } = useLingui()
  const { maxItems = 100, accept } = block.settings ?? {}
  const [typed, setTyped] = useState('')
  const [isPicking, setPicking] = useState(false)
  const takesPictures = !accept?.length || accept.some((one) => one.startsWith('image/'))
  const add = () => {
    const url = typed.trim()
    if (url === '') return
    onChange([...value, { url, mimeType: kindOf(url, accept) }])
    setTyped('')
  }
  const raise = (at: number) =>
    onChange(value.map((item, index) => (index === at - 1 ? value[at] : index === at ? value[at - 1] : item) ?? item))
  return (
    <fieldset className={`media ${edited ? 'edited' : ''}`} disabled={isLocked}>
      <legend className="label">{label}</legend>
      {value.length > 0 && (
        <ul className="media-items">
          {value.map((item, index) => (
            <li key={item.id ?? `${item.mediaId ?? item.url}-${index}`}>
              <Preview item={item} />
              <span className="cut" title={item.url}>
                <FileName of={item} />
                <span className="note block">{item.mimeType}</span>
              </span>
              {!isLocked && (
                <span className="acts tight">
                  {index > 0 && (
                    <Button
                      look="quiet small"
                      icon={ArrowUp}
                      only={t`Further to the front`}
                      onClick={() => raise(index)}
                    />
                  )}
                  <Button
                    look="quiet small"
                    icon={X}
                    only={t`Remove`}
                    onClick={() => onChange(value.filter((_, at) => at !== index))}
                  />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {problem && <p className="problem">{problem}</p>}
      {!isLocked && value.length < maxItems && (
        <div className="media-add">
          <Field
            label={t`Address of a file for ${name}`}
            type="url"
            inputMode="url"
            placeholder="https://"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button icon={Plus} reason={typed.trim() === '' ? t`Type its address first.` : undefined} onClick={add}>
            {t`Add`}
          </Button>
          {takesPictures && (
            <Button icon={ImagePlus} onClick={() => setPicking(true)}>
              {t`From the library`}
            </Button>
          )}
        </div>
      )}
      {isPicking && (
        <Suspense>
          <Picker
            title={name}
            isMany={maxItems > 1}
            taken={value.flatMap(({ mediaId }) => mediaId ?? [])}
            onClose={() => setPicking(false)}
            onPick={(files) => {
              onChange([...value, ...files.map(toPicked)].slice(0, maxItems))
              setPicking(false)
            }}
          />
        </Suspense>
      )}
    </fieldset>
  )
}

/** A new place in the entry: the service gives it an id of its own. */
function toPicked(file: Parameters<typeof toItem>[0]): MediaItem {
  const { id: _file, ...item } = toItem(file)
  return item
}

/** As people know it: the address of a file of the library is made of its id. */
function FileName({ of: { mediaId, url } }: { of: MediaItem }) {
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const maySee = may('CONTENT_WRITE') || may('PRODUCTS_WRITE')
  const { data, isError } = useQuery({
    ...fileQuery(businessId, mediaId ?? ''),
    enabled: mediaId !== undefined && maySee,
    retry: false,
  })
  const isKnown = mediaId === undefined || isError || !maySee
  return <span className="strong">{data?.fileName ?? (isKnown ? url.split('/').at(-1) : '…')}</span>
}

function Preview({ item }: { item: MediaItem }) {
  const { url, mimeType, mediaId } = item
  const [isBroken, setIsBroken] = useState(false)
  if (mediaId) return <Thumb of={item} px={PREVIEW_PX} alt="" />
  return mimeType.startsWith('image/') && !isBroken ? (
    <img src={url} alt="" loading="lazy" onError={() => setIsBroken(true)} />
  ) : (
    <span className="no-picture">{mimeType.split('/')[1]}</span>
  )
}
