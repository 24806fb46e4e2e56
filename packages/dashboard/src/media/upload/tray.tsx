import './tray.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useMatchRoute } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useLive } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { hurry } from './hurry.ts'
import { UploadList } from './upload-list.tsx'
import { dismiss, type Upload } from './uploads.ts'
import { useUploads } from './use-uploads.ts'

/** Nobody has to tidy up after what went well. */
const GONE_AFTER_MS = 8_000

/** What is being uploaded, in a corner of every page while there is something. */
export function Tray() {
  const { t } = useLingui()
  const uploads = useUploads()
  const [isOpen, setOpen] = useState(true)
  useSection(setOpen)
  const box = useRef<HTMLElement>(null)
  const { number } = useLive()
  useEffect(() => hurry(), [number])
  const done = uploads.filter(({ step }) => step === 'done')
  const failed = uploads.filter(({ step }) => step === 'failed')
  const left = uploads.length - done.length - failed.length
  const isAllWell = uploads.length > 0 && done.length === uploads.length
  useEffect(() => {
    if (!isAllWell) return undefined
    const tidy = () => {
      if (box.current?.matches(':hover, :focus-within')) timer = setTimeout(tidy, GONE_AFTER_MS)
      else clear(uploads)
    }
    let timer = setTimeout(tidy, GONE_AFTER_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- they are the same until one is added, and then it is not all well
  }, [isAllWell])
  if (uploads.length === 0) return null
  return (
    <section className="tray" ref={box} aria-label={t`Uploads`}>
      <header>
        <p role="status">
          <b className="strong">
            {left > 0 ? (
              <Trans>
                {done.length} of {uploads.length} uploaded
              </Trans>
            ) : (
              <Plural value={done.length} one="# file uploaded" other="# files uploaded" />
            )}
          </b>
          {failed.length > 0 && (
            <span className="alert-text">
              {' '}
              <Plural value={failed.length} one="# not taken" other="# not taken" />
            </span>
          )}
        </p>
        <Button
          look="quiet small"
          icon={isOpen ? ChevronDown : ChevronUp}
          only={isOpen ? t`Show less of the uploads` : t`Show the uploads`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        {left === 0 && (
          <Button look="quiet small" icon={X} only={t`Close the list of uploads`} onClick={() => clear(uploads)} />
        )}
      </header>
      {isOpen && (
        <UploadList
          uploads={[...failed.toReversed(), ...uploads.filter(({ step }) => step !== 'failed').toReversed()]}
        />
      )}
    </section>
  )
}

/** Whoever leaves the library has other work: there only its head is in the way. */
function useSection(setOpen: (isOpen: boolean) => void): void {
  const isInMedia = Boolean(useMatchRoute()({ to: '/$business/media', fuzzy: true }))
  const before = useRef(isInMedia)
  useEffect(() => {
    if (before.current !== isInMedia) setOpen(isInMedia)
    before.current = isInMedia
  }, [isInMedia, setOpen])
}

function clear(uploads: readonly Upload[]): void {
  for (const { id } of uploads) void dismiss(id)
}
